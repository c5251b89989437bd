package kite

import "bytes"

// field is a column of the source that means something to us.
type field int

const (
	fieldToken field = iota
	fieldExchangeToken
	fieldSymbol
	fieldName
	fieldLastPrice
	fieldExpiry
	fieldStrike
	fieldTick
	fieldLot
	fieldKind
	fieldSegment
	fieldExchange
	requiredFields // of a CSV; what follows, only the JSON lines have

	fieldISIN field = iota - 1
	fieldLowerLimit
	fieldUpperLimit
	fieldSeries
	fieldMultiplier
	fieldDeliveryUnits
	fieldPriceUnits
	fieldFreezeQuantity
	fieldMaxOrderQuantity
	fieldExpiryType
	fieldExpiryDate
	fieldExerciseStartDate
	fieldExerciseEndDate
	fieldIssueDate
	fieldListingDate
	fieldMaturityDate
	fieldActive
	fieldCount
	fieldUnknown field = -1

	firstDetail = fieldSeries
	detailCount = fieldCount - firstDetail
)

// fieldNames are the names of the columns and JSON keys.
func fieldNames() [fieldCount]string {
	return [fieldCount]string{
		"instrument_token", "exchange_token", "tradingsymbol", "name", "last_price", "expiry", "strike", "tick_size", "lot_size",
		"instrument_type", "segment", "exchange", "isin", "lower_circuit_limit", "upper_circuit_limit", "series", "multiplier",
		"delivery_units", "price_units", "freeze_quantity", "max_order_quantity", "expiry_type", "expiry_date", "exercise_start_date",
		"exercise_end_date", "issue_date", "listing_date", "maturity_date", "active",
	}
}

func fieldOf(name string) field {
	for i, n := range fieldNames() {
		if n == name {
			return field(i)
		}
	}
	return fieldUnknown
}

// fieldSet is a set of fields, one bit each.
type fieldSet uint32

// The fields that are read together, and all.
const (
	classFields  fieldSet = 1<<fieldKind | 1<<fieldSegment | 1<<fieldExchange | 1<<fieldExpiry | 1<<fieldExpiryDate
	amountFields fieldSet = 1<<fieldLastPrice | 1<<fieldLowerLimit | 1<<fieldUpperLimit
	detailFields          = allFields &^ (1<<firstDetail - 1)
	allFields    fieldSet = 1<<fieldCount - 1
)

func (s fieldSet) has(f field) bool { return s>>f&1 != 0 }

// record is one row as texts; what it does not have is empty. The texts are valid until the next line is read.
type record struct {
	text    [fieldCount][]byte
	changed fieldSet // the texts that may differ from those of the row before
}

// detail interns the fields that only the JSON lines have. Most rows share all of them with many others.
func (l *instrumentsLoader) detail(rec *record) uint32 {
	var ids [detailCount]uint32
	for i := range ids {
		text := rec.text[firstDetail+field(i)]
		if len(text) == 0 {
			continue
		}
		if last := l.lastDetails[i]; bytes.Equal(text, l.detailTexts.text(last)) {
			ids[i] = last
		} else if usableDetail(firstDetail+field(i), text) {
			ids[i] = l.detailTexts.id(text)
		}
	}
	if ids == l.lastDetails {
		return l.lastDetail
	}
	id, known := l.details[ids]
	if !known {
		id = uint32(len(l.detailRows)) //nolint:gosec // at most as many as rows
		l.details[ids] = id
		l.detailRows = append(l.detailRows, ids)
	}
	l.lastDetails, l.lastDetail = ids, id
	return id
}

// usableDetail reports whether a text is what the field holds; a detail that cannot be read is not known.
func usableDetail(f field, text []byte) bool {
	switch f {
	case fieldMultiplier, fieldFreezeQuantity, fieldMaxOrderQuantity:
		return isJSONNumber(text)
	case fieldActive:
		return string(text) == "true" || string(text) == "false"
	default:
		return true
	}
}

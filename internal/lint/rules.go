package lint

import "slices"

// Rules returns every rule, in the order of their ids. A new rule is one file
// and one line here.
func Rules() []Rule {
	return slices.Concat(
		fileRules,
		frontmatterRules,
		treeRules,
		[]Rule{
			linkMissing,
			linkCaseRule,
			linkEscapes,
			linkAbsolute,
			linkBackslash,
			anchorMissing,
		},
		servingRules,
		runRules,
	)
}

// grades reads the severities of a row: one letter each for catalog, skills and
// spec; E error, W warning, I info, - off.
func grades(letters string) Severities {
	one := func(c byte) Severity {
		switch c {
		case 'E':
			return Error
		case 'W':
			return Warning
		case 'I':
			return Info
		}
		return Off
	}
	return Severities{Catalog: one(letters[0]), Skills: one(letters[1]), Spec: one(letters[2])}
}

import { describe, expect, it } from "vitest";

import { absent, brief, candleTime, count, moment, momentOf, money, percent, price, rupees, signedMoney, signedPercent, timeOf } from "../../src/model/format.ts";

describe("B-16 numbers", () => {
  it.each([
    [0.0525, "0.0525"],
    [1450.5, "1,450.50"],
    [1234567.125, "12,34,567.125"],
    [0, "0.00"],
    [100, "100.00"],
    [1e300, "1.000e+300"],
  ])("price %d is %s", (n, text) => expect(price(n)).toBe(text));

  it.each([
    [853701.21, "8,53,701.21"],
    [1, "1.00"],
    [0.005, "0.01"],
    [-0.001, "0.00"],
    [12345678901.5, "12,34,56,78,901.50"],
  ])("total %d is %s", (n, text) => expect(money(n)).toBe(text));

  it("absent is a dash, never zero", () => {
    for (const show of [price, money, rupees, count, signedMoney, percent, signedPercent]) expect(show(null)).toBe(absent);
  });

  it("A-4 gain and loss have a sign and an arrow", () => {
    expect(signedMoney(155)).toBe("▲ +155.00");
    expect(signedMoney(-1234.5)).toBe("▼ −1,234.50");
    expect(signedMoney(0.001)).toBe("0.00");
    expect(percent(4.279)).toBe("+4.28%");
    expect(percent(-0.336)).toBe("−0.34%");
    expect(percent(0)).toBe("0.00%");
    expect([signedPercent(4.279), signedPercent(-0.336), signedPercent(0)]).toEqual(["▲ +4.28%", "▼ −0.34%", "0.00%"]);
    expect([signedMoney(155, "₹"), signedMoney(-155, "₹"), signedMoney(0, "₹")]).toEqual(["▲ +₹155.00", "▼ −₹155.00", "₹0.00"]);
  });

  it("there is one minus, whatever is counted", () => {
    expect([count(-60), price(-0.05), money(-1234.5), rupees(-1234.5), rupees(12)]).toEqual(["−60", "−0.05", "−1,234.50", "−₹1,234.50", "₹12.00"]);
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [12345, "12.3 K"],
    [2161884, "21.6 L"],
    [21000000, "2.1 Cr"],
    [1e12, "1,00,000 Cr"],
  ])("volume %d is in brief %s", (n, text) => expect(brief(n)).toBe(text));
});

describe("times", () => {
  it("are India's, wherever the device is", () => expect(timeOf(Date.UTC(2026, 11, 2, 5, 45, 3))).toBe("11:15:03 IST"));
  it("have the day, the month in letters and the year, and lose what is the same everywhere", () => {
    expect(moment("2026-12-02T00:00:00+05:30")).toBe("02 Dec 2026");
    expect(moment("2026-01-31")).toBe("31 Jan 2026");
    expect(moment("2026-12-02T09:15:00+05:30")).toBe("02 Dec 2026, 09:15:00");
    expect(moment("2026-12-02 11:15:07")).toBe("02 Dec 2026, 11:15:07");
    expect(candleTime("2026-12-02T09:15:00+05:30")).toBe("02 Dec 2026, 09:15");
  });
  it("of today are times, of other days have the day", () => {
    expect(momentOf("2026-12-02 11:15:00", "2026-12-02")).toBe("11:15:00");
    expect(momentOf("2026-12-01 15:30:00", "2026-12-02")).toBe("01 Dec 2026, 15:30:00");
    expect(momentOf("2026-12-02", "2026-12-02")).toBe("02 Dec 2026");
  });
  it.each(["yesterday", "", "2026-13-02", "2026-12-02T09:15:00Z", "2026-12-02 <b>"])("what is none (%s) stays as it is", (s) => expect([moment(s), momentOf(s, "2026-12-02")]).toEqual([s, s]));
});

import { describe, expect, it } from "vitest";

import { absent, count, moment, money, percent, price, signedMoney, timeOf } from "../../src/model/format.ts";

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
    for (const show of [price, money, count, signedMoney, percent]) expect(show(null)).toBe(absent);
  });

  it("A-4 gain and loss have a sign and an arrow", () => {
    expect(signedMoney(155)).toBe("▲ +155.00");
    expect(signedMoney(-1234.5)).toBe("▼ −1,234.50");
    expect(signedMoney(0.001)).toBe("0.00");
    expect(percent(4.279)).toBe("+4.28%");
    expect(percent(-0.336)).toBe("−0.34%");
    expect(percent(0)).toBe("0.00%");
  });
});

describe("times", () => {
  it("are India's, wherever the device is", () => expect(timeOf(Date.UTC(2026, 11, 2, 5, 45, 3))).toBe("11:15:03 IST"));
  it("lose what is the same everywhere", () => {
    expect(moment("2026-12-02T00:00:00+05:30")).toBe("2026-12-02");
    expect(moment("2026-12-02T09:15:00+05:30")).toBe("2026-12-02 09:15:00");
    expect(moment("yesterday")).toBe("yesterday");
  });
});

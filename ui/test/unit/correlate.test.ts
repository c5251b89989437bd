import { describe, expect, it } from "vitest";

import { agrees, kindOf, match } from "../../src/bridge/correlate.ts";
import { readAnswer } from "../../src/contract/result.ts";
import * as f from "../fixtures/results.ts";

const answer = (result: Record<string, unknown>) => readAnswer(result);

describe("which request a result belongs to", () => {
  it("B-5 takes the server's word, without tool info from the host", () => {
    const m = match(answer(f.holdings(3)), null, "");
    expect(m.request).toEqual({ tool: "portfolio", arguments: f.holdingsArgs() });
    expect(m.superseded).toBe(false);
  });

  it("leaves the number of a call out of what is repeated", () => {
    const result = f.result("portfolio", { ...f.holdingsArgs(), _app_request_id: "x-1" }, {});
    expect(match(answer(result), null, "").request?.arguments).toEqual(f.holdingsArgs());
  });

  it("L-2 compares the launcher's input with the origin, and repeats the source (L-3)", () => {
    const result = f.result("portfolio", f.holdingsArgs(), {}, { tool: "kite_explorer", arguments: {} });
    const m = match(answer(result), {}, "");
    expect(m).toEqual({ request: { tool: "portfolio", arguments: f.holdingsArgs() }, superseded: false });
  });

  it("marks a result that an input has overtaken", () => {
    expect(match(answer(f.holdings(3)), { mode: "positions" }, "").superseded).toBe(true);
    expect(match(answer(f.holdings(3)), { mode: "holdings", limit: "100" }, "").superseded).toBe(false);
  });

  it("B-17 uses the host's tool and the last input when metadata is lost", () => {
    const bare = answer({ structuredContent: { data: [] } });
    expect(match(bare, { mode: "holdings", from: 100 }, "portfolio").request).toEqual({ tool: "portfolio", arguments: { mode: "holdings", from: 100 } });
    expect(match(bare, {}, "kite_explorer").request).toEqual({ tool: "portfolio", arguments: f.holdingsArgs() });
    expect(match(bare, { view: "holdings" }, "open_kite_view").request).toBeNull();
    expect(match(bare, { mode: "holdings" }, "").request).toBeNull();
  });

  it("recognises results by shape when nobody says what they are", () => {
    const kinds = [f.holdings(2), f.positions("all"), f.funds(), f.quotes(["NSE:INFY"]), f.history(1, f.candles(2))].map((r) => kindOf(null, answer(r).data!));
    expect(kinds).toEqual(["holdings", "positions", "funds", "quote", "historical"]);
    expect(kindOf(null, {})).toBe("other");
    expect(kindOf(null, { data: "no list" })).toBe("other");
  });

  it("reads lists and digits as the server does", () => {
    expect(agrees({ instruments: ["NSE:INFY", "NSE:TCS"], from: "0" }, { instruments: "NSE:INFY,NSE:TCS", from: 0, limit: 5 })).toBe(true);
    expect(agrees({ from: 100 }, { from: 0 })).toBe(false);
  });
});

describe("reading a result", () => {
  it("B-17 takes the text block when the structured value is lost", () => {
    expect(readAnswer({ content: [{ type: "text", text: '{"data":[1]}' }] }).data).toEqual({ data: [1] });
    expect(readAnswer({ content: [{ type: "text", text: "no JSON" }] }).data).toBeNull();
    expect(readAnswer({ content: [{ type: "text", text: "[1]" }] }).data).toBeNull();
  });

  it("keeps the server's class and hint of a failure", () => {
    const failed = readAnswer(f.failure("market", {}, "the session has expired", "session_expired", "log in"));
    expect(failed.failure).toEqual({ message: "the session has expired", code: "session_expired", hint: "log in" });
    expect(failed.data).toBeNull();
  });

  it.each([undefined, null, 1, "x", [], {}, { content: 5 }, { content: [null, 3, {}] }, { structuredContent: [] }, { isError: true }, { _meta: 3 }, { _meta: { "trade.kite/app": [] } }])(
    "never throws on %j",
    (v) => {
      expect(() => readAnswer(v)).not.toThrow();
      expect(readAnswer(v).data).toBeNull();
    },
  );
});

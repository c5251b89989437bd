// Every view in a state worth looking at: for pictures, for axe, for narrow screens.
import * as f from "../fixtures/results.ts";
import { Stage, type Json } from "./stage.ts";

export interface Scene {
  readonly name: string;
  readonly args: Json;
  readonly result: Json;
  /** The tool whose result it is; portfolio or market unless it is told. */
  readonly tool?: string;
  readonly then?: (stage: Stage) => Promise<void>;
}

const open = (row: string, tab?: string) => async (stage: Stage) => {
  await stage.view.getByRole("button", { name: new RegExp(row) }).first().click();
  await stage.view.getByText(/Quote received/).waitFor();
  if (tab) {
    await stage.view.getByRole("tab", { name: tab }).click();
    if (tab === "Chart") await stage.view.getByText(/Candles received/).waitFor();
  }
};

export const scenes: readonly Scene[] = [
  { name: "holdings", args: f.holdingsArgs(), result: f.holdings(10), then: (s) => s.shows(/Received .* IST\.$/) },
  {
    name: "allocation",
    args: f.holdingsArgs(),
    result: f.holdings(10),
    then: async (s) => {
      await s.view.getByText("Allocation of the shown rows").click();
      await s.view.locator(".tile").first().waitFor();
    },
  },
  {
    name: "positions",
    args: { mode: "positions", position_view: "all" },
    result: f.positions("all"),
    then: (s) => s.view.getByText("P&L of net exposure", { exact: true }).click(),
  },
  { name: "quotes", args: { mode: "quote", instruments: ["NSE:INFY", "NSE:TCS", "NSE:NOPE"] }, result: f.quotes(["NSE:INFY", "NSE:TCS"], ["NSE:NOPE"]) },
  { name: "history", args: { mode: "historical", instrument_token: 408065 }, result: f.history(408065, f.candles(120)) },
  { name: "funds", args: { mode: "margins" }, result: f.funds() },
  { name: "inspector", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY") },
  { name: "chart", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY", "Chart") },
  { name: "depth", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY", "Depth") },
  {
    name: "failed",
    args: f.holdingsArgs(),
    result: f.holdings(10),
    then: async (s) => {
      await s.shows(/^Whole account.*Received/);
      await s.result(f.failure("portfolio", f.holdingsArgs(), "Kite is down", "session_expired"));
      await s.shows("Kite is down");
    },
  },
  { name: "details", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY", "Details") },
  { name: "orders", args: { mode: "list" }, result: f.orders(), tool: "orders_read" },
  {
    name: "order",
    args: { mode: "list" },
    result: f.orders(),
    tool: "orders_read",
    then: async (s) => {
      await s.view.getByRole("button", { name: /^HDFCBANK/ }).first().click();
      await s.view.getByText(/^Fills received/).waitFor();
    },
  },
  {
    name: "gtt",
    args: { mode: "list" },
    result: f.triggers(),
    tool: "gtt_read",
    then: async (s) => {
      await s.view.getByRole("button", { name: "Load current quotes" }).click();
      await s.shows(/^Current quotes received/);
    },
  },
  { name: "search", args: { mode: "search", query: "infy" }, result: f.search({ query: "infy" }), tool: "market" },
  {
    name: "chain",
    args: { mode: "option_chain", underlying: "NIFTY", expiry: "2026-12-29" },
    result: f.chain(30),
    tool: "market",
    then: async (s) => {
      await s.shows(/Quotes received/);
      if (s.page.viewportSize()!.width < 720) await s.view.getByRole("button", { name: "Show all columns" }).click();
    },
  },
];

/** The tool whose result a scene shows. */
export const toolOf = (scene: Scene): string => scene.tool ?? (/quote|historical/.test(String(scene.args["mode"])) ? "market" : "portfolio");

// What a host may offer besides calls of tools. Nothing here happens by itself:
// each is a person's click, and only where the host has announced it.
import { signal } from "@preact/signals";

import { at } from "../contract/json.ts";

/** What the bridge can ask of a host. */
export interface Offers {
  updateModelContext(params: { content: { type: "text"; text: string }[] }): Promise<unknown>;
  downloadFile(params: { contents: { type: "resource"; resource: { uri: string; mimeType: string; text: string } }[] }): Promise<unknown>;
}

export class Features {
  readonly tells = signal(false);
  readonly saves = signal(false);
  /** What became of the last click, in words. */
  readonly note = signal("");
  private clicks = 0;

  constructor(private readonly host: Offers) {}

  announced(capabilities: unknown): void {
    this.tells.value = at(capabilities, "updateModelContext", "text") !== undefined;
    this.saves.value = at(capabilities, "downloadFile") !== undefined;
  }

  /** Gives the chat a text that its model reads with the next question. */
  async tell(text: string): Promise<void> {
    if (this.tells.value) await this.done("The chat has been told.", "The chat could not be told", this.host.updateModelContext({ content: [{ type: "text", text }] }));
  }

  /** Gives the person a file of comma-separated values. */
  async save(name: string, text: string): Promise<void> {
    const resource = { uri: "file:///" + name, mimeType: "text/csv", text };
    if (this.saves.value) await this.done("Given to the chat app as " + name + ".", "The file was not saved", this.host.downloadFile({ contents: [{ type: "resource", resource }] }));
  }

  private async done(well: string, badly: string, asked: Promise<unknown>): Promise<void> {
    const click = ++this.clicks;
    this.note.value = "";
    let note = well;
    try {
      if (at(await asked, "isError") === true) note = badly + ".";
    } catch (error) {
      note = badly + (error instanceof Error && error.message !== "" ? ": " + error.message.slice(0, 200) : ".");
    }
    if (click === this.clicks) this.note.value = note;
  }

  close(): void {
    this.tells.value = this.saves.value = false;
  }
}

import "./00-zod.ts";
import { render } from "preact";

import { bridge } from "./bridge/connect.ts";
import { HostContext } from "./bridge/context.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/widgets.css";
import "./styles/views.css";
import "./styles/trading.css";
import { Shell } from "./views/Shell.tsx";

// A host hides the view until it has connected: what goes wrong before must not
// leave a blank card.
const root = document.getElementById("root");
if (root) {
  const context = new HostContext(document.documentElement);
  const { session, features, connect } = bridge(context);
  render(<Shell session={session} context={context} features={features} />, root);
  connect().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    context.settle();
    session.trouble.value = { request: null, failure: { message: "The chat app could not be reached: " + why, code: "bridge", hint: "Reload the chat." } };
  });
}

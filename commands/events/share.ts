import { longestShareSeconds } from "../../src/contract/constants.ts";
import { recordCommand } from "../command-shapes.ts";
import { idArgument } from "../input/arguments.ts";
import { idOf, seconds } from "../input/options.ts";
import { addressOf, noteAddress } from "../output/note-address.ts";
import { newShareView } from "../shares/view.ts";

/** Makes an address that shows one event. */
export const shareEvent = recordCommand({
  name: "events share",
  summary: "Show an event to someone by an address that ends",
  description:
    "Prints an address, also as a QR code, that shows the pictures, summary and times of this event to anyone who opens it, without an account. It shows nothing else. The address cannot be shown again.",
  arguments: { event_id: idOf("event", idArgument("Event id")) },
  options: { expires: seconds(60, longestShareSeconds, "Validity, at most 365d (default 7d)") },
  examples: [
    { command: "homesec events share 42", note: "for a week" },
    { command: "homesec events share 42 --expires 2h", note: "homesec shares revoke ends it earlier" },
  ],
  view: newShareView,
  async record(io, { arguments: params, options: { expires } }) {
    const share = await io.call("createShare", { params, body: { expires_in_seconds: expires } });
    return { ...share, url: await addressOf(io, share) };
  },
  note: ({ event_id }) => `event ${event_id} shared: anyone with this address can see it`,
  after: ({ output }, { url }) => noteAddress(output, url),
});

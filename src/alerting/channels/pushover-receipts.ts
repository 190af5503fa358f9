import { z } from "zod";
import { maskSecrets, onOneLine } from "../delivery/texts.ts";
import type { OpenChannel } from "./channel.ts";
import { jsonObject } from "./kind.ts";

const Receipt = z.object({
  status: z.literal(1),
  acknowledged: z.int(),
  acknowledged_by_device: z.string().max(100).default(""),
  expired: z.int().default(0),
});

/** The state of a message that repeats. `over`: it repeats no more, and no one acknowledged it. */
export type ReadReceipt =
  | { readonly kind: "open" | "over" }
  | { readonly kind: "acknowledged"; readonly device: string }
  | { readonly kind: "fault"; readonly text: string };

/** Asks Pushover who acknowledged a message of a channel. */
export interface PushoverReceipts {
  readonly source: string;
  url(receipt: string): string;
  read(reply: { readonly status: number; readonly body: string }): ReadReceipt;
}

/** Makes the requests for the receipts of a channel, and reads the answers. No text contains the token. */
export function pushoverReceipts({ name, settings, secretValues }: OpenChannel): PushoverReceipts {
  return {
    source: `pushover ${name}`,
    url: (receipt) => `${settings["server"]}/1/receipts/${receipt}.json?token=${settings["token"]}`,
    read: ({ status, body: text }) => {
      const body = maskSecrets(text, secretValues);
      const read = Receipt.safeParse(jsonObject(body));
      if (status === 200 && read.success) {
        const { acknowledged, acknowledged_by_device: device, expired } = read.data;
        if (acknowledged === 1) return { kind: "acknowledged", device: onOneLine(device, 60) };
        return { kind: expired === 1 ? "over" : "open" };
      }
      // Pushover keeps receipts for a week, and may have forgotten this one
      if (status === 404 || (status === 400 && /receipt/i.test(body))) return { kind: "over" };
      const fix = status === 400 || status === 401 ? "; set the token of the application again" : "";
      return { kind: "fault", text: `Pushover answered ${status} when asked who acknowledged${fix}` };
    },
  };
}

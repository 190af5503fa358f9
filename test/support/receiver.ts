import type { IncomingHttpHeaders } from "node:http";
import { phoneService } from "./phones/service.ts";

/** A request as the receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact text. */
  readonly body: string;
}

/** The reply: a status with headers and a body, or none at all. */
export type ReceiverAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** Sends only the beginning of the body, and never its end. */
      readonly held?: true;
      /** Sends nothing before this resolves. */
      readonly after?: Promise<unknown>;
    }
  | "hang"
  | "reset";

/** A real HTTP server in place of a webhook's target. `answer` is called for each request, counted from 0; the default is 200. */
export async function receiver(answer: (request: Received, index: number) => ReceiverAnswer = () => ({ status: 200 })) {
  const received: Received[] = [];
  let reply = answer;
  const service = await phoneService(() => ({ status: 200, body: "" }));
  service.breakWith(async ({ target: path, headers, body }, index) => {
    const got = { path, headers, body: body.toString() };
    received.push(got);
    const how = reply(got, index);
    if (how === "hang" || how === "reset") return how;
    await how.after;
    return { body: "", ...how, ...(how.held && { goOn: () => undefined }) };
  });
  return {
    url: `${service.url}/hook`,
    received: received as readonly Received[],
    answerWith: (next: typeof answer) => {
      reply = next;
    },
    close: service.close,
  };
}
export type Receiver = Awaited<ReturnType<typeof receiver>>;

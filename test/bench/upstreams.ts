import { startChild } from "./child.ts";

/** A detector and a language model that answer at once, in a child process. */
export interface InstantUpstreams {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts them. Stop them at the end. */
export async function instantUpstreams(): Promise<InstantUpstreams> {
  const child = startChild<object, string>("instant-upstreams");
  return { url: await child.ask({}), stop: () => child.stop() };
}

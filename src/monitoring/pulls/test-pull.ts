import type { z } from "zod";
import type { PullTest as PullTestSchema } from "../../contract/routes/pulls.ts";
import { isStream } from "./address.ts";
import type { Credentials } from "./digest.ts";
import type { PulledPicture } from "./pulled-picture.ts";
import { PullFault } from "./pulled-picture.ts";
import { SnapshotSource } from "./snapshot.ts";
import { readStream } from "./stream.ts";

export type PullTest = z.output<typeof PullTestSchema>;

/** A stream needs some seconds to begin. */
const timeoutMs = { picture: 10_000, stream: 20_000 } as const;

/** Gets one picture from an address. Never rejects because of the camera. */
export async function testPull(address: { readonly url: string; readonly credentials: Credentials | undefined }): Promise<PullTest> {
  const begin = performance.now();
  const ms = (): number => Math.round(performance.now() - begin);
  try {
    const { bytes, mediaType, width, height } = await (isStream(address.url) ? firstOfStream(address) : firstSnapshot(address));
    return { works: true, fault: null, media_type: mediaType, width, height, bytes: bytes.length, ms: ms() };
  } catch (error) {
    if (!(error instanceof PullFault)) throw error;
    return { works: false, fault: error.message, media_type: null, width: null, height: null, bytes: null, ms: ms() };
  }
}

async function firstSnapshot(address: Parameters<typeof testPull>[0]): Promise<PulledPicture> {
  const source = new SnapshotSource(address);
  try {
    const picture = await source.fetch({ timeoutMs: timeoutMs.picture });
    if (picture === "unchanged") throw new PullFault("the camera answered without a picture; open the address in a browser");
    return picture;
  } finally {
    source.close();
  }
}

async function firstOfStream(address: Parameters<typeof testPull>[0]): Promise<PulledPicture> {
  const stop = new AbortController();
  let first: PulledPicture | undefined;
  try {
    return await readStream({
      ...{ ...address, everyMs: 500, silentMs: timeoutMs.stream, signal: stop.signal },
      onPicture: async (picture) => {
        first ??= picture;
        stop.abort();
      },
    });
  } catch (error) {
    if (first) return first;
    throw error;
  }
}

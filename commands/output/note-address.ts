import type { Io } from "../io.ts";

/** The address of something new: below `PUBLIC_URL`, or else below the address of the daemon that this command called. */
export async function addressOf(io: Io, { url, path }: { readonly url: string | null; readonly path: string }): Promise<string> {
  return url ?? `${(await io.endpoint()).url}${path}`;
}

/** Shows an address as a QR code on a terminal, and says when it works on this machine only. */
export async function noteAddress(output: Io["output"], url: string | null): Promise<void> {
  if (url === null) return;
  if (output.format === "table") {
    const { renderUnicodeCompact } = await import("uqr");
    output.note(renderUnicodeCompact(url));
  }
  if (isOfThisMachine(url)) {
    output.note("this address works on this machine only; set HOST and PUBLIC_URL for other devices");
  }
}

function isOfThisMachine(url: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}

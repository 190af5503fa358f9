import type { PublishedRow } from "../../src/work/journal/journal-repository.ts";

/** A journal message in wire format, encoded once for all clients. */
export interface Frame {
  readonly sequence: number;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The WebSocket frame of a journal row. Its data is JSON already, so the envelope is written around it. */
export function journalFrame(row: PublishedRow): Frame {
  const text = `{"type":${JSON.stringify(row.type)},"data":${row.data},"sequence":${row.sequence},"timestamp":"${row.created_at.toISOString()}"}`;
  return { sequence: row.sequence, type: row.type, bytes: textFrame(text) };
}

/** One unfragmented, unmasked text frame, as a server sends it (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const offset = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const bytes = Buffer.allocUnsafeSlow(offset + length);
  bytes[0] = 0x81;
  if (offset === 2) {
    bytes[1] = length;
  } else if (offset === 4) {
    bytes[1] = 126;
    bytes.writeUInt16BE(length, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(length), 2);
  }
  bytes.write(text, offset);
  return bytes;
}

/** Reads the data of a journal message. */
export function dataOf(frame: Frame): unknown {
  return (JSON.parse(textOf(frame.bytes)) as { readonly data: unknown }).data;
}

const cameraIds = new WeakMap<Frame, string | undefined>();

/** The camera that a journal message is about; undefined if it names none. Reads the message once, when the first guest needs it. */
export function cameraIdOf(frame: Frame): string | undefined {
  if (!cameraIds.has(frame)) {
    const data = dataOf(frame) as { readonly camera_id?: unknown };
    cameraIds.set(frame, typeof data.camera_id === "string" ? data.camera_id : undefined);
  }
  return cameraIds.get(frame);
}

/** The text of a frame that `textFrame` made. */
function textOf(bytes: Buffer): string {
  const length = bytes[1] ?? 0;
  return bytes.toString("utf8", length < 126 ? 2 : length === 126 ? 4 : 10);
}

/** Larger heads of a part are no heads. */
const mostHeadBytes = 8 * 1024;

/** The stream breaks the rules of multipart, or a part is too large. The message completes "the camera sent". */
export class BadParts extends Error {
  override name = "BadParts";
}

/**
 * Reads the parts of a `multipart/x-mixed-replace` stream: of a camera's MJPEG address and of ffmpeg. A part ends after its
 * `Content-Length`, or, without one, at the next boundary.
 */
export class PartReader {
  readonly #boundary: Buffer;
  readonly #mostBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** The head of a part was read, and its content follows; null: of unknown length. */
  #length: number | null | undefined;
  /** Bytes without a boundary, which are not searched again. */
  #searched = 0;

  /** `boundary` is the parameter of the media type; without it, lines that begin with "--" are boundaries. */
  constructor({ boundary, mostBytes }: { readonly boundary: string | undefined; readonly mostBytes: number }) {
    const plain = boundary?.replace(/^--/, "") ?? "";
    this.#boundary = Buffer.from(`\r\n--${plain}`, "latin1");
    this.#mostBytes = mostBytes;
  }

  /** Takes the next bytes and returns the parts that are complete now. Throws `BadParts`. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    const parts: Buffer[] = [];
    for (;;) {
      const part = this.#length === undefined ? this.#readHead() : this.#readContent(this.#length);
      if (part === undefined) return parts;
      if (part !== "head") parts.push(part);
    }
  }

  #readHead(): "head" | undefined {
    const end = this.#buffer.indexOf("\r\n\r\n");
    if (end > mostHeadBytes || (end < 0 && this.#buffer.length > mostHeadBytes)) throw new BadParts("a stream without parts");
    if (end < 0) return undefined;
    const head = this.#buffer.toString("latin1", 0, end);
    const length = /^content-length:\s*(\d{1,10})\s*$/im.exec(head)?.[1];
    this.#length = length === undefined ? null : Number(length);
    if ((this.#length ?? 0) > this.#mostBytes) throw this.#tooLarge();
    this.#take(end + 4);
    return "head";
  }

  #readContent(length: number | null): Buffer | undefined {
    const end = length ?? this.#buffer.indexOf(this.#boundary, Math.max(0, this.#searched - this.#boundary.length));
    if (length === null && end < 0) this.#searched = this.#buffer.length;
    if ((end < 0 ? this.#buffer.length : end) > this.#mostBytes) throw this.#tooLarge();
    if (end < 0 || this.#buffer.length < end) return undefined;
    this.#length = undefined;
    return this.#take(end);
  }

  #take(count: number): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, count));
    this.#buffer = this.#buffer.subarray(count);
    this.#searched = 0;
    return taken;
  }

  #tooLarge(): BadParts {
    return new BadParts(`a picture of more than ${Math.round(this.#mostBytes / 1024 / 1024)} MB`);
  }
}

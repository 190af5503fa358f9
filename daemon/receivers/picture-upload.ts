import { createHash } from "node:crypto";
import { contentOf, type Format, formatOf, headBytes } from "../../src/monitoring/images/format.ts";
import { kindOf } from "../../src/monitoring/images/picture.ts";
import type { DeliveryCamera } from "../../src/monitoring/receivers/taker.ts";
import { DeliveryRefused, type Inbox, type Upload } from "./inbox.ts";

/** A delivered file is no picture or video that homesec reads. */
export class NotAPicture extends DeliveryRefused {
  override name = "NotAPicture";

  constructor(message: string) {
    super("permanent", message);
  }
}

/** Endings for pictures without one, by media type. */
const endings: Readonly<Record<string, string>> = {
  ...{ "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "video/mp4": ".mp4", "video/quicktime": ".mov" },
  ...{ "video/x-msvideo": ".avi", "video/webm": ".webm", "video/x-matroska": ".mkv", "video/x-flv": ".flv", "video/x-dav": ".dav" },
  ...{ "video/mpeg": ".mpg", "video/mp2t": ".ts", "video/h264": ".h264", "video/h265": ".h265" },
};

/** A picture or video that arrives. Its first bytes decide what it is, whatever its name or its stated type says. */
export class PictureUpload {
  readonly #upload: Upload;
  readonly #hash = createHash("sha256");
  #head: Buffer = Buffer.alloc(0);
  #format: Format | undefined;
  #sha256: Buffer = Buffer.alloc(0);

  private constructor(upload: Upload) {
    this.#upload = upload;
  }

  /** Begins a file in the folder of a camera. Throws `DeliveryRefused` if the folder cannot be used. */
  static async begin(inbox: Inbox, camera: DeliveryCamera): Promise<PictureUpload> {
    return new PictureUpload(await inbox.begin(camera));
  }

  get bytes(): number {
    return this.#upload.bytes;
  }

  /** Appends bytes. Throws `NotAPicture` once they are enough to tell, and `DeliveryRefused` if the file is too large or the disk full. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.#head.length < headBytes) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, headBytes - this.#head.length)]);
      if (contentOf(this.#head) === "other") throw new NotAPicture("The file is no picture or video; send JPEG, PNG, WebP or a video");
    }
    this.#hash.update(chunk);
    await this.#upload.write(chunk);
  }

  /** Ends the file and returns the hash of its content. Throws `NotAPicture` if it is none. */
  end(): Buffer {
    const format = formatOf(this.#head);
    if (this.#head.length === 0) throw new NotAPicture("The file is empty; send a picture");
    if (!format) throw new NotAPicture("The file is no picture or video; send JPEG, PNG, WebP or a video");
    if (!format.inspect) throw new NotAPicture(`homesec does not read ${format.mediaType}; send JPEG, PNG, WebP or a video`);
    this.#format = format;
    this.#sha256 = this.#hash.digest();
    return this.#sha256;
  }

  /**
   * Stores the file durably in the camera's folder and returns its path. Adds an ending to a name that does not tell the kind. A file that
   * the camera sends again, because homesec was killed before it answered, is stored once, even before the ledger knows it.
   */
  async finish(name: string | undefined): Promise<string> {
    const ending = endings[this.#format?.mediaType ?? ""] ?? "";
    const given = name?.trim() || `picture-${this.#sha256.toString("hex", 0, 4)}`;
    const hasEnding = ["jpeg", "png", "webp", "video"].includes(kindOf(given.replace(/^[.~]+/, "")));
    return await this.#upload.finish(hasEnding ? given : `${given}${ending}`, [], true);
  }

  /** Deletes it. Does nothing after `finish`. */
  async discard(): Promise<void> {
    await this.#upload.discard();
  }
}

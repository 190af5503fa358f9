import { hourMs } from "../../../src/base/clock/clock.ts";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import type { Arrivals } from "../arrivals.ts";
import type { Inbox } from "../inbox.ts";
import type { KnownLogins } from "../known-logins.ts";
import { NotAPicture, PictureUpload } from "../picture-upload.ts";
import { type MailPart, readMail } from "./pictures-of-mail.ts";

/** Most pictures that are remembered, so that the retry of a mail stores none of them again before the ledger knows it. */
const mostRemembered = 10_000;

/** The outcome of a mail. */
export interface MailOutcome {
  readonly stored: number;
  /** Pictures that the camera delivered before. */
  readonly known: number;
}

/** Stores the pictures of mails. */
export class MailDelivery {
  readonly #parts: { readonly logins: KnownLogins; readonly inbox: Inbox; readonly arrivals: Arrivals };
  /** When pictures were stored, by camera and content. */
  readonly #stored = new Map<string, number>();

  constructor(parts: { readonly logins: KnownLogins; readonly inbox: Inbox; readonly arrivals: Arrivals }) {
    this.#parts = parts;
  }

  /**
   * Stores each picture and video of a mail durably. Throws `DeliveryRefused` if one cannot be stored; those before it are stored, and are
   * not stored again when the camera repeats the mail.
   */
  async deliver(login: KnownLogin, mail: Uint8Array): Promise<MailOutcome> {
    const { subject, parts } = await readMail(mail);
    const paths: string[] = [];
    let known = 0;
    try {
      for (const part of parts) {
        const result = await this.#deliverPart(login, part);
        if (result === "known") known += 1;
        else if (result !== "other") paths.push(result.path);
      }
    } finally {
      await this.#parts.arrivals.note(login, paths, subject);
    }
    return { stored: paths.length, known };
  }

  async #deliverPart(login: KnownLogin, { name, content }: MailPart): Promise<{ readonly path: string } | "known" | "other"> {
    const { logins, inbox, arrivals } = this.#parts;
    const upload = await PictureUpload.begin(inbox, login);
    try {
      await upload.write(content);
      const sha256 = upload.end();
      const key = `${login.cameraId} ${sha256.toString("base64")}`;
      if (this.#isRemembered(key) || (await arrivals.sameContent(login, sha256)) !== undefined) return "known";
      const path = await upload.finish(name);
      this.#remember(key);
      logins.noteDelivered(login);
      return { path };
    } catch (error) {
      if (error instanceof NotAPicture) return "other";
      throw error;
    } finally {
      await upload.discard();
    }
  }

  #isRemembered(key: string): boolean {
    const at = this.#stored.get(key);
    return at !== undefined && performance.now() - at < hourMs;
  }

  #remember(key: string): void {
    this.#stored.set(key, performance.now());
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > mostRemembered && oldest !== undefined) this.#stored.delete(oldest);
  }
}

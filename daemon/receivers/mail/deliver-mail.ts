import { hourMs } from "../../../src/base/clock/clock.ts";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import { describeMail, type MailFacts, ruleFor } from "../../../src/monitoring/receivers/mail-rules.ts";
import type { DeliveryCamera } from "../../../src/monitoring/receivers/taker.ts";
import type { Arrivals } from "../arrivals.ts";
import { DeliveryRefused, type Inbox } from "../inbox.ts";
import type { KnownLogins } from "../known-logins.ts";
import { NotAPicture, PictureUpload } from "../picture-upload.ts";
import { type MailPart, readMail } from "./pictures-of-mail.ts";

/** Most pictures that are remembered, so that the retry of a mail stores none of them again before the ledger knows it. */
const mostRemembered = 10_000;

/** The outcome of a mail. */
export interface MailOutcome {
  readonly stored: number;
  /** A fact for the person who wrote the rules: no rule matched. */
  readonly remark?: string | undefined;
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
   * not stored again when the camera repeats the mail. `sender`: the address that the connection named.
   */
  async deliver(login: KnownLogin, { bytes, sender }: { readonly bytes: Uint8Array; readonly sender: string }): Promise<MailOutcome> {
    const mail = await readMail(bytes);
    const { camera, remark } = this.#cameraFor(login, { ...mail, senders: [...mail.senders, sender] });
    const paths = new Map<string, string[]>();
    let [stored, known] = [0, 0];
    try {
      for (const part of mail.parts) {
        const result = await this.#deliverPart(login, camera, part);
        if (result === "known") known += 1;
        if (typeof result === "string") continue;
        stored += 1;
        const takerId = this.#parts.logins.takerOfStored(camera, result.path);
        paths.set(takerId, [...(paths.get(takerId) ?? []), result.path]);
      }
    } finally {
      for (const [cameraId, own] of paths) await this.#parts.arrivals.note({ ...camera, cameraId }, own, mail.subject);
    }
    return { stored, known, remark };
  }

  /** Returns the camera that gets a mail. Throws `DeliveryRefused` if the rules give it to none. */
  #cameraFor(login: KnownLogin, facts: MailFacts): { readonly camera: DeliveryCamera; readonly remark?: string } {
    const { mailRules, unmatchedCameraId } = login;
    if (mailRules.length === 0) return { camera: login };
    const rule = ruleFor(mailRules, facts);
    const cameraId = rule?.camera_id ?? unmatchedCameraId;
    const fix = `correct the rules of ${login.cameraId} (homesec receivers rules ${login.cameraId})`;
    if (cameraId === null) throw new DeliveryRefused("permanent", `No rule matches the mail with ${describeMail(facts)}; ${fix}`);
    const camera = this.#parts.logins.camera(cameraId);
    if (!camera)
      throw new DeliveryRefused("permanent", `The mail with ${describeMail(facts)} is for the deleted camera ${cameraId}; ${fix}`);
    return rule
      ? { camera }
      : { camera, remark: `No rule matches the mail with ${describeMail(facts)}, so camera ${cameraId} got it; ${fix}` };
  }

  async #deliverPart(
    login: KnownLogin,
    camera: DeliveryCamera,
    { name, content }: MailPart,
  ): Promise<{ readonly path: string } | "known" | "other"> {
    const { logins, inbox, arrivals } = this.#parts;
    const upload = await PictureUpload.begin(inbox, camera);
    try {
      await upload.write(content);
      const sha256 = upload.end();
      const key = `${camera.cameraId} ${sha256.toString("base64")}`;
      if (this.#isRemembered(key) || (await arrivals.sameContent(logins.sharersOf(camera), sha256)) !== undefined) return "known";
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

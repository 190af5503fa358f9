import type { IncomingMessage, ServerResponse } from "node:http";
import { Problem } from "../../../src/contract/problem.ts";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import { answerDetail } from "../../http/errors.ts";
import type { Arrivals } from "../arrivals.ts";
import type { Guard } from "../guard.ts";
import { DeliveryRefused, type Inbox } from "../inbox.ts";
import type { KnownLogins } from "../known-logins.ts";
import { NotAPicture, PictureUpload } from "../picture-upload.ts";
import type { Receiver, RequestStep } from "../receivers.ts";
import { credentialsOf, type Target, targetOf } from "./credentials.ts";
import { bodyOf, isForm, readForm, type Save } from "./form.ts";

/** How long the answer waits for the ledger, so that it can name the image. */
const ledgerMs = 2_000;
/** Seconds until a client may try again after a full disk or too many uploads. */
const retryAfterSeconds = 30;

/** Dependencies of the HTTP receiver. */
export interface IngestParts {
  readonly logins: KnownLogins;
  readonly inbox: Inbox;
  readonly guard: Guard;
  readonly arrivals: Arrivals;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Maximum size of a file in bytes. */
  readonly mostBytes: number;
  /** Where the daemon listens. */
  readonly address: () => { readonly host: string; readonly port: number };
}

/** A picture that has arrived completely but is not in the camera's folder yet. */
interface Staged {
  readonly upload: PictureUpload;
  readonly name: string | undefined;
  readonly sha256: Buffer;
}

/** Receives pictures at `PUT` and `POST /ingest/{camera}`, on the address of the API. */
export class Ingest implements Receiver {
  readonly protocol = "http";
  readonly #parts: IngestParts;
  #isOpen = false;

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
  }

  address(): { readonly host: string; readonly port: number } {
    return this.#parts.address();
  }

  connections(): number {
    return this.#parts.guard.connections;
  }

  /** Answers uploads. While homesec starts or stops, the client is asked to try again. */
  handle: RequestStep = (request, response, next) => {
    const target = this.#isOff || !["PUT", "POST"].includes(request.method ?? "") ? undefined : targetOf(request.url);
    if (!target) return next();
    this.#answer(request, response, target)
      .catch((error: unknown) => {
        // What remains of the body is read and dropped, so that the client gets to read the refusal
        response.setHeader("Connection", "close");
        request.resume();
        answerRefusal(response, error, next);
      })
      .catch(next);
  };

  /** Whether no camera uses this receiver. */
  get #isOff(): boolean {
    const { logins } = this.#parts;
    return !this.#isOpen && logins.isLoaded && logins.count("http") === 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    if (!this.#isOpen) throw new DeliveryRefused("temporary", "homesec starts or stops at the moment; try again in half a minute");
    const { guard, clientAddress } = this.#parts;
    const client = clientAddress(request);
    const release = guard.admit(client);
    if (!release) throw new Problem("rate_limited", "Too many uploads at once; send fewer at a time");
    try {
      const { login, name } = await this.#authenticate(request, response, target, client);
      await this.#receive(request, response, login, { name, client });
    } finally {
      release();
    }
  }

  async #authenticate(
    request: IncomingMessage,
    response: ServerResponse,
    target: Target,
    client: string,
  ): Promise<{ readonly login: KnownLogin; readonly name: string | undefined }> {
    const { logins, guard } = this.#parts;
    const { cameraId } = target;
    const known = logins.ofCamera("http", cameraId);
    const isRight = (word: string): boolean => known !== undefined && logins.check("http", known.username, word) !== undefined;
    const { password, username, name } = credentialsOf(request.headers, target, isRight);
    const fault = (message: string): void => logins.noteFault({ protocol: "http", login: known, username: cameraId, client, message });
    if (!known) {
      fault(`Camera ${JSON.stringify(cameraId)} has no login for HTTP; create one, or correct the address`);
      await guard.wrongPassword(client);
      throw new Problem("not_found", `No camera ${JSON.stringify(cameraId)} has a login for HTTP; create one, or correct the address`);
    }
    const isOfCamera = username === undefined || [known.username, known.cameraId].includes(username);
    if (password !== undefined && isOfCamera && isRight(password)) {
      logins.noteConnected(known);
      return { login: known, name };
    }
    const message = password === undefined ? "The camera sent no password" : `Wrong password for user ${username ?? known.username}`;
    fault(`${message}; enter the one that homesec showed, or create a new login`);
    if (password !== undefined) await guard.wrongPassword(client);
    response.setHeader("WWW-Authenticate", 'Basic realm="homesec camera"');
    throw new Problem("unauthorized", `${message}; send it as bearer token, basic authentication, X-Camera-Token or in the path`);
  }

  async #receive(
    request: IncomingMessage,
    response: ServerResponse,
    login: KnownLogin,
    { name, client }: { readonly name: string | undefined; readonly client: string },
  ): Promise<void> {
    const staged: Staged[] = [];
    try {
      await this.#stage(request, login, name, staged);
      await this.#store(response, login, staged);
    } catch (error) {
      const { message } = error as Error;
      if (isClientsFault(error)) this.#parts.logins.noteFault({ protocol: "http", login, client, message });
      throw error;
    } finally {
      for (const { upload } of staged) await upload.discard();
    }
  }

  /** Reads the files of the body into parts. Files of a form that are no pictures do not count if others are. */
  async #stage(request: IncomingMessage, login: KnownLogin, name: string | undefined, staged: Staged[]): Promise<void> {
    const { mostBytes } = this.#parts;
    if (!/^(identity)?$/i.test(request.headers["content-encoding"] ?? "")) {
      throw new Problem("media_type", "The body is compressed; send the picture as it is");
    }
    if (Number(request.headers["content-length"] ?? 0) > mostBytes + 1_000_000) {
      throw new Problem("too_large", `The body has more than ${mostBytes / 1e6} MB; send less, or raise RECEIVER_MAX_FILE_MB`);
    }
    let other: unknown = new NotAPicture("The form holds no file; send the picture as a file");
    const stage: Save = async (chunks, fileName) => {
      const added = await this.#stageFile(login, chunks, fileName);
      staged.push(added);
    };
    if (!isForm(request)) return await stage(bodyOf(request), name);
    await readForm(request, (chunks, fileName) =>
      stage(chunks, name ?? fileName).catch(async (error: unknown) => {
        if (!(error instanceof NotAPicture)) throw error;
        other = error;
        for await (const _rest of chunks);
      }),
    );
    if (staged.length === 0) throw other;
  }

  async #stageFile(login: KnownLogin, chunks: AsyncIterable<Uint8Array>, name: string | undefined): Promise<Staged> {
    const { guard, inbox } = this.#parts;
    if (!guard.mayDeliver(login))
      throw new Problem("rate_limited", "The camera sends too many files per minute; see RECEIVER_FILES_PER_MINUTE");
    const upload = await PictureUpload.begin(inbox, login);
    try {
      for await (const chunk of chunks) await upload.write(chunk);
      return { upload, name, sha256: upload.end() };
    } catch (error) {
      await upload.discard();
      throw error;
    }
  }

  /** Stores the new ones of the files and answers. */
  async #store(response: ServerResponse, login: KnownLogin, staged: readonly Staged[]): Promise<void> {
    const { arrivals, logins } = this.#parts;
    const paths: string[] = [];
    let [known, takerId]: [number?, string?] = [];
    for (const { upload, name, sha256 } of staged) {
      const same = await arrivals.sameContent(logins.sharersOf(login), sha256);
      known ??= same;
      if (same !== undefined) continue;
      const path = await upload.finish(name);
      paths.push(path);
      takerId ??= logins.takerOfStored(login, path);
      logins.noteDelivered(login);
    }
    if (paths.length === 0) throw new Problem("conflict", `Camera ${login.cameraId} delivered the same bytes before, as image ${known}`);
    const files = await Promise.all(
      paths.map(async (path) => ({ image_id: (await arrivals.imageOf(login, path, ledgerMs)) ?? null, path })),
    );
    answerJson(response, files.every(({ image_id }) => image_id !== null) ? 201 : 202, {
      camera_id: takerId ?? login.cameraId,
      ...files[0],
      ...(files.length > 1 && { files }),
    });
  }
}

/** Errors that a person can fix at the camera or on this machine. */
function isClientsFault(error: unknown): boolean {
  return error instanceof DeliveryRefused || (error instanceof Problem && error.kind !== "conflict");
}

function answerRefusal(response: ServerResponse, error: unknown, next: (error: unknown) => void): void {
  const isTemporary = error instanceof DeliveryRefused && error.kind === "temporary";
  if (!(isTemporary || (error instanceof Problem && error.kind === "rate_limited"))) {
    next(asProblem(error));
    return;
  }
  response.setHeader("Retry-After", retryAfterSeconds);
  answerDetail(response as Parameters<typeof answerDetail>[0], isTemporary ? 503 : 429, (error as Error).message);
}

function asProblem(error: unknown): unknown {
  if (!(error instanceof DeliveryRefused)) return error;
  const kind = error.kind === "too_large" ? "too_large" : error instanceof NotAPicture ? "media_type" : "conflict";
  return new Problem(kind, error.message, { cause: error });
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...{ "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" },
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

import { basename } from "node:path";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { ReceiverProtocol } from "../../src/contract/constants.ts";
import { camerasChannel } from "../../src/monitoring/cameras/cameras-repository.ts";
import {
  type DeliveryFault,
  type KnownLogin,
  type LoginUse,
  readKnownCameras,
  readKnownLogins,
  storeFaults,
  storeUses,
} from "../../src/monitoring/receivers/logins-repository.ts";
import { hasHash } from "../../src/monitoring/receivers/password.ts";
import { type DeliveryCamera, type KnownCamera, takerOf } from "../../src/monitoring/receivers/taker.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** Interval between two writes of uses and faults. */
const storeEveryMs = 500;
/** Faults that wait to be stored; more are dropped. */
const mostFaults = 100;
/** Characters of a user name that are stored. */
const mostUsernameLength = 100;

/**
 * The logins of cameras in memory, so that a delivery costs no query. They follow the changes of all processes; while the database is
 * away, the last known logins count. Uses and faults are stored together twice a second, and wait while the database is away.
 */
export class KnownLogins {
  readonly #options: { readonly db: Database; readonly clock: Clock; readonly log: Log };
  readonly #listeners = new Set<() => void>();
  #logins: ReadonlyMap<string, KnownLogin> = new Map();
  #cameras: readonly KnownCamera[] = [];
  #uses = new Map<string, LoginUse>();
  #faults: DeliveryFault[] = [];
  #loading: Promise<void> = Promise.resolve();
  #storing: Promise<void> = Promise.resolve();
  #isLoaded = false;
  #unlisten: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { readonly db: Database; readonly clock: Clock; readonly log: Log }) {
    this.#options = options;
  }

  /** Whether the logins have been read. Before, as while the daemon starts, none is known. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Finds a login by its user name. */
  find(protocol: ReceiverProtocol, username: string): KnownLogin | undefined {
    return this.#logins.get(`${protocol} ${username}`);
  }

  /** Finds the login of a camera. */
  ofCamera(protocol: ReceiverProtocol, cameraId: string): KnownLogin | undefined {
    return [...this.#logins.values()].find((login) => login.protocol === protocol && login.cameraId === cameraId);
  }

  /** Returns the login if the password is right. */
  check(protocol: ReceiverProtocol, username: string, password: string): KnownLogin | undefined {
    const login = this.find(protocol, username);
    return login && hasHash(password, login.hash) ? login : undefined;
  }

  /** Tells whether a login is still the current one: sessions end when their login changes or their camera is deleted. */
  isCurrent(login: KnownLogin): boolean {
    const now = this.find(login.protocol, login.username);
    return now !== undefined && now.cameraId === login.cameraId && now.hash.equals(login.hash);
  }

  /** Returns the number of logins for a protocol. */
  count(protocol: ReceiverProtocol): number {
    return [...this.#logins.values()].filter((login) => login.protocol === protocol).length;
  }

  /** Returns the cameras that are not deleted. */
  cameras(): readonly DeliveryCamera[] {
    return this.#cameras.filter(({ deleted }) => !deleted);
  }

  /** Finds a camera that is not deleted. */
  camera(cameraId: string): DeliveryCamera | undefined {
    return this.#cameras.find((camera) => camera.cameraId === cameraId && !camera.deleted);
  }

  /** Returns the ids of the cameras that may get files from the folder of a camera. */
  sharersOf({ cameraId, folderPath }: DeliveryCamera): readonly string[] {
    const sharers = this.#cameras.filter((camera) => camera.folderPath === folderPath).map((camera) => camera.cameraId);
    return [...new Set([cameraId, ...sharers])];
  }

  /** Tells why a camera may not deliver a file to a path below its folder; undefined if it may. */
  refusalOf = (camera: DeliveryCamera, path: string): string | undefined => {
    const taking = takerOf(this.#cameras, camera, path);
    return "refusal" in taking ? taking.refusal : undefined;
  };

  /** Returns the camera that gets a file that was stored directly in the folder of a camera. */
  takerOfStored(camera: DeliveryCamera, path: string): string {
    const taking = takerOf(this.#cameras, camera, basename(path));
    return "cameraId" in taking ? taking.cameraId : camera.cameraId;
  }

  /** Calls the listener after logins changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Notes that a camera logged in. */
  noteConnected(login: KnownLogin): void {
    this.#note(login, { connectedAt: this.#options.clock.now(), deliveredAt: null, files: 0 });
  }

  /** Notes that a camera delivered a file. */
  noteDelivered(login: KnownLogin): void {
    this.#note(login, { connectedAt: null, deliveredAt: this.#options.clock.now(), files: 1 });
  }

  /** Notes a delivery that failed, for the person who sets up the camera. `login`: undefined for an unknown user name. */
  noteFault(fault: {
    readonly protocol: ReceiverProtocol;
    readonly login?: KnownLogin | undefined;
    readonly username?: string | undefined;
    readonly client: string;
    readonly message: string;
  }): void {
    const { protocol, login, client, message } = fault;
    const username = (login?.username ?? fault.username)?.replaceAll("\0", "").slice(0, mostUsernameLength) ?? null;
    this.#options.log.info({ protocol, camera: login?.cameraId, client, username }, message);
    if (this.#faults.length >= mostFaults) return;
    this.#faults.push({ occurred_at: this.#options.clock.now(), protocol, camera_id: login?.cameraId ?? null, username, client, message });
  }

  /** Reads the logins again. */
  load(): Promise<void> {
    const next = this.#loading.then(async () => {
      const { logins, cameras } = await this.#options.db.query(async (sql) => ({
        logins: await readKnownLogins(sql),
        cameras: await readKnownCameras(sql),
      }));
      this.#cameras = cameras;
      this.#logins = new Map(logins.map((login) => [`${login.protocol} ${login.username}`, login]));
      this.#isLoaded = true;
      for (const listener of this.#listeners) listener();
    });
    this.#loading = next.catch(() => {});
    return next;
  }

  /** Reads the logins and follows their changes. Throws if the database cannot be read. */
  async start(): Promise<void> {
    await this.load();
    this.#unlisten = await this.#options.db.listen(
      camerasChannel,
      () => this.#reload(),
      () => this.#reload(),
    );
    this.#timer = setInterval(() => void this.store(), storeEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const end = this.#unlisten;
    this.#unlisten = undefined;
    await end?.();
    await this.#loading;
    await this.store();
  }

  /** Stores what was noted. While the database is away, it waits in memory. */
  store(): Promise<void> {
    this.#storing = this.#storing.then(() => this.#store());
    return this.#storing;
  }

  async #store(): Promise<void> {
    const [uses, faults] = [this.#uses, this.#faults];
    if (uses.size === 0 && faults.length === 0) return;
    this.#uses = new Map();
    this.#faults = [];
    try {
      await this.#options.db.transaction(async (sql) => {
        if (uses.size > 0) await storeUses(sql, [...uses.values()]);
        if (faults.length > 0) await storeFaults(sql, faults);
      });
    } catch (error) {
      this.#options.log.debug({ error: String(error) }, "uses of logins were not stored; trying again");
      for (const use of uses.values()) this.#note(use, use);
      this.#faults = [...faults, ...this.#faults].slice(0, mostFaults);
    }
  }

  #note({ cameraId, protocol }: Pick<LoginUse, "cameraId" | "protocol">, use: Omit<LoginUse, "cameraId" | "protocol">): void {
    const key = `${protocol} ${cameraId}`;
    const before = this.#uses.get(key);
    this.#uses.set(key, {
      ...{ cameraId, protocol },
      connectedAt: later(before?.connectedAt, use.connectedAt),
      deliveredAt: later(before?.deliveredAt, use.deliveredAt),
      files: (before?.files ?? 0) + use.files,
    });
  }

  #reload(): void {
    this.load().catch((error: unknown) =>
      this.#options.log.warn({ error: String(error) }, "changed logins of cameras could not be read; the previous ones stay in force"),
    );
  }
}

function later(one: Date | null | undefined, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one > other ? one : other;
}

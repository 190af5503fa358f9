import type { Clock } from "../../../base/clock/clock.ts";
import type { UpstreamAnswer, UpstreamHttp, UpstreamRequest } from "../http.ts";

/** The longest that a server may take to load a model. */
const longestLoadMs = 15 * 60_000;
/** A server may have unloaded its model after a pause of this length. */
const coldAfterMs = 25 * 60_000;
const askAgainMs = 5_000;

/**
 * The connections to a server that loads its model at the first question. Loading may take longer than an answer may, and a server that
 * loads stops loading if the client leaves. So the first question stays open in the background after its time limit, and until it has an
 * answer, each further one gets 425, which means "later" and is no failure.
 */
export class FirstLoad implements UpstreamHttp {
  readonly #http: UpstreamHttp;
  readonly #clock: Clock;
  readonly #mayLoad: () => boolean;
  #loadingSince: number | undefined;
  #answeredAt: number | undefined;
  /** The last load ended without an answer: the next question counts as any other. */
  #hasFailed = false;

  constructor(http: UpstreamHttp, clock: Clock, mayLoad: () => boolean) {
    this.#http = http;
    this.#clock = clock;
    this.#mayLoad = mayLoad;
  }

  /** How long the server has been loading its model, in milliseconds; undefined while no question is open beyond its limit. */
  loadingMs(): number | undefined {
    return this.#loadingSince === undefined ? undefined : this.#clock.monotonic() - this.#loadingSince;
  }

  async exchange(request: UpstreamRequest): Promise<UpstreamAnswer> {
    if (request.method === "GET" || !this.#mayLoad()) return await this.#http.exchange(request);
    if (this.#loadingSince !== undefined) return this.#later();
    const isWarm = this.#answeredAt !== undefined && this.#clock.monotonic() - this.#answeredAt < coldAfterMs;
    if (isWarm || this.#hasFailed) return await this.#warm(request);
    return await this.#cold(request);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #warm(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const answer = await this.#http.exchange(request);
    if (answer.status === 200) this.#answered();
    return answer;
  }

  #answered(): void {
    this.#answeredAt = this.#clock.monotonic();
    this.#hasFailed = false;
  }

  async #cold(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const startedAt = this.#clock.monotonic();
    const patient = this.#http.exchange({ ...request, signal: undefined, timeoutMs: Math.max(longestLoadMs, request.timeoutMs) });
    const answered = patient.then((answer) => {
      if (answer.status === 200) this.#answered();
      return answer;
    });
    let timer: NodeJS.Timeout | undefined;
    const { signal } = request;
    let leave = (): void => {};
    const overdue = new Promise<undefined>((resolve, reject) => {
      timer = setTimeout(() => resolve(undefined), request.timeoutMs);
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave, { once: true });
      if (signal?.aborted) leave();
    });
    const stays = (): void => {
      this.#loadingSince = startedAt;
      const over = (hasFailed: boolean): void => {
        this.#loadingSince = undefined;
        this.#hasFailed = hasFailed;
      };
      answered.then(
        () => over(false),
        () => over(true),
      );
    };
    try {
      const answer = await Promise.race([answered, overdue]);
      if (answer) return answer;
      stays();
      return this.#later();
    } catch (error) {
      if (signal?.aborted) stays();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }

  #later(): UpstreamAnswer {
    const seconds = Math.round((this.loadingMs() ?? 0) / 1_000);
    return { status: 425, text: `the server has been loading its model for ${seconds} s`, retryAfterMs: askAgainMs, location: null };
  }
}

import { type Command, type CommandRequest, commandOf } from "../../src/admin/mqtt/commands.ts";
import { operations } from "../../src/all-operations.ts";
import type { Log } from "../../src/base/log/log.ts";
import { longestSilenceSeconds } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { decodeRequest } from "../../src/contract/validate.ts";
import type { Access } from "../../src/platform/keys/named-keys.ts";
import type { BrokerMessage } from "../../src/platform/mqtt/broker.ts";
import type { Caller, OperationContext } from "../../src/work/operations/operation.ts";
import { recordChange } from "../http/record-change.ts";

/** Commands that wait at most; more are refused, so that a client in a loop fills no memory. */
const mostWaiting = 100;
/** Alerts and silences that one command ends at most. */
const mostEnded = 1_000;

/** The author of what commands change, in lists and explanations. */
const author: Access = {
  kind: "configured",
  keyId: undefined,
  name: "MQTT",
  role: "owner",
  cameraIds: undefined,
  expiresAt: null,
  keyHash: undefined,
};

const caller: Caller = {
  client: "mqtt",
  isLocal: false,
  origin: undefined,
  access: author,
  keepSession: () => {},
  userAgent: undefined,
  gone: new AbortController().signal,
};

/** Tells how a command ended; `message` is undefined if it was carried out. */
export type OnResult = (topic: string, message: string | undefined) => void;

/**
 * Carries out commands, one after the other and as the operations of the API do, so that each has an author. It never makes the connection
 * wait.
 */
export class CommandRunner {
  readonly #context: OperationContext;
  readonly #log: Log;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(context: OperationContext, log: Log) {
    this.#context = context;
    this.#log = log;
  }

  /** Takes a message that may be a command. `onResult` is called later. */
  take({ topic, payload, retained }: BrokerMessage, prefix: string, onResult: OnResult): void {
    if (retained) {
      // The broker would repeat it after each restart, long after it was meant.
      this.#refuse(topic, "The command is retained, so it may be old; publish it without retain, and clear the retained one", onResult);
      return;
    }
    if (this.#waiting >= mostWaiting) {
      this.#refuse(topic, `More than ${mostWaiting} commands wait; send fewer at a time`, onResult);
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      try {
        const command = commandOf(topic, payload, prefix);
        if (!command) return;
        await this.#run(command);
        this.#log.info({ topic }, "carried out a command from MQTT");
        onResult(topic, undefined);
      } catch (error) {
        this.#refuse(topic, error instanceof Problem ? textOf(error) : `The command failed: ${String(error)}`, onResult);
      } finally {
        this.#waiting -= 1;
      }
    });
  }

  /** Resolves when all earlier commands have ended. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #refuse(topic: string, message: string, onResult: OnResult): void {
    this.#log.warn({ topic, why: message }, "a command from MQTT was not carried out");
    onResult(topic, message);
  }

  async #run(command: Command): Promise<void> {
    switch (command.kind) {
      case "request":
        await this.#call(command);
        return;
      case "end_all":
        return await this.#endAll(command.operation);
      case "switch_alerts":
        return await this.#switchAlerts(command.cameraId, command.allow);
    }
  }

  async #endAll(operation: "acknowledgeAlert" | "dismissAlert"): Promise<void> {
    for (const status of ["pending", "delivered"]) {
      const { items } = await this.#list("listAlerts", { status });
      for (const { id } of items) await this.#call({ operation, params: { id } }).catch(ignoreConflict);
    }
  }

  async #switchAlerts(cameraId: string, allow: boolean): Promise<void> {
    const { items } = await this.#list("listSilences", { status: "active" });
    const silences = items as readonly { id: string; camera_id?: string | null; rule_id?: string | null }[];
    const own = silences.filter((silence) => silence.camera_id === cameraId && silence.rule_id === null);
    if (!allow) {
      if (own.length > 0) return;
      const body = { camera_id: cameraId, duration_seconds: longestSilenceSeconds, reason: "Alerts switched off over MQTT" };
      await this.#call({ operation: "createSilence", body });
      return;
    }
    for (const { id } of own) await this.#call({ operation: "endSilence", params: { id } }).catch(ignoreConflict);
    const ofAll = silences.find((silence) => silence.camera_id === null && silence.rule_id === null);
    if (ofAll) throw new Problem("conflict", `All alerts are silenced; end that silence (${ofAll.id}) to allow those of ${cameraId}`);
  }

  async #list(operation: "listAlerts" | "listSilences", query: Readonly<Record<string, string>>) {
    return (await this.#call({ operation, query: { ...query, limit: String(mostEnded) } })) as {
      readonly items: readonly { readonly id: string }[];
    };
  }

  /** Runs an operation as a request over HTTP would, with its checks, and stores who changed what. */
  async #call({
    operation: id,
    params = {},
    query = {},
    body,
  }: CommandRequest & { readonly query?: Readonly<Record<string, string>> }): Promise<unknown> {
    const route = routes[id];
    const request = decodeRequest(route, { params, query: new URLSearchParams(query), body });
    const context = this.#context;
    const recording = recordChange({ id, route, access: author }, request, context);
    const operation = operations[id] as (request: unknown, context: OperationContext) => Promise<unknown>;
    const result = await operation(request, { ...context, ...(recording && { db: recording.db }), caller });
    await recording?.finish();
    return result;
  }
}

/** Another client ended it first. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof Problem && error.kind === "conflict")) throw error;
}

/** The message of a problem, with the fields of the command that are wrong. */
function textOf({ message, items }: Problem): string {
  const fields = items.map(({ loc, msg }) => [loc.slice(1).join("."), msg].filter((part) => part !== "").join(": "));
  return fields.length === 0 ? message : fields.join("; ");
}

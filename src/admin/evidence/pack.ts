import { localTimeZone } from "../../base/clock/time-zone.ts";
import { programVersion } from "../../base/version.ts";
import type { Camera } from "../../monitoring/cameras/camera.ts";
import type { EventWithDetections } from "../../monitoring/events/event.ts";
import type { ZipEntry } from "../../platform/archive/zip.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Explanation, Step } from "../explain/step.ts";
import { hashesOf } from "./blocks.ts";
import type { SealedDay } from "./chain.ts";
import { clockStatement } from "./clocks.ts";
import type { EvidenceDetection } from "./evidence-repository.ts";
import { indexPage } from "./index-page.ts";
import { type Manifest, packVersion, type Seal, sealed } from "./manifest.ts";
import { type Contents, pictureEntries } from "./picture-entries.ts";
import { pemOf, type SigningKey } from "./signing-key.ts";

/** Everything that a pack is made of, except for the pictures. */
export interface PackFacts {
  readonly id: string;
  readonly createdBy: string | null;
  readonly now: Date;
  readonly event: EventWithDetections;
  readonly camera: Camera;
  readonly detections: readonly EvidenceDetection[];
  /** Number of detections that are not packed, since there are too many. */
  readonly leftOut: number;
  readonly explanation: Explanation;
  readonly key: SigningKey;
  readonly chain: readonly SealedDay[];
}

/** Yields the files of a pack in their order: pictures, then what describes them, then the manifest and its signature. */
export async function* packEntries(facts: PackFacts, context: OperationContext): AsyncGenerator<ZipEntry> {
  const contents: Contents = { files: [], missing: [] };
  const add = (name: string, text: string): ZipEntry => {
    const bytes = Buffer.from(text);
    contents.files.push({ name, ...hashesOf(bytes) });
    return inMemory(name, bytes);
  };
  yield* pictureEntries(facts.detections, contents, context);
  const timeZone = localTimeZone();
  const clocks = clockStatement({ ...facts, timeZone });
  const log = logLines(facts);
  yield add("log.txt", `${log.join("\n")}\n`);
  yield add("log.json", json({ explanation: facts.explanation, event: facts.event, pictures: facts.detections }));
  yield add("clocks.txt", `${clocks}\n`);
  yield add("public-key.pem", pemOf(facts.key.publicKey));
  yield add(
    "index.html",
    indexPage({ ...pageFacts(facts, timeZone), ...contents, log, clocks, publicKey: facts.key.publicKey, zone: timeZone }),
  );
  yield add("SHA256SUMS", contents.files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(""));

  const manifest = Buffer.from(json(manifestOf(facts, contents)));
  yield inMemory(sealed.manifest, manifest);
  const seal = Buffer.from(
    json({ homesec_evidence: packVersion, public_key: facts.key.publicKey, manifest: hashesOf(manifest) } satisfies Seal),
  );
  yield inMemory(sealed.seal, seal);
  yield inMemory(sealed.signature, facts.key.sign(seal));
}

function inMemory(name: string, bytes: Buffer): ZipEntry {
  return { name, parts: [bytes], isPlain: true };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

function manifestOf(facts: PackFacts, { files, missing }: Contents): Manifest {
  const { id, kind, camera_id, started_at, ended_at } = facts.event;
  return {
    homesec_evidence: packVersion,
    pack_id: facts.id,
    created_at: facts.now.toISOString(),
    created_by: facts.createdBy,
    homesec_version: programVersion(),
    public_key: facts.key.publicKey,
    event: {
      ...{ id, kind, camera_id, camera: facts.camera.name },
      ...{ started_at: started_at.toISOString(), ended_at: ended_at.toISOString() },
    },
    files,
    missing,
    chain: facts.chain.map((day) => ({ ...day, records: { ...day.records } })),
  };
}

function logLines({ explanation, leftOut }: PackFacts): readonly string[] {
  const more = leftOut === 0 ? [] : [`${leftOut} more detections of this event are not in this pack: it has a limit.`, ""];
  return [explanation.outcome, "", ...more, ...explanation.steps.map(stepLine)];
}

/** Times of steps in columns; a step without a time belongs to the ones around it. */
function stepLine({ at, status, text }: Step): string {
  return `${at ? at.toISOString() : " ".repeat(24)}  ${status.padEnd(7)}  ${text}`;
}

function pageFacts({ id, createdBy, now, event, camera }: PackFacts, timeZone: string) {
  const what = event.kind === "camera_health" ? "Incident" : "Event";
  const score =
    event.risk_score === null ? "none" : `${event.risk_score} of 100 (${event.risk_level}), by ${event.analyzed_by ?? "another program"}`;
  const began = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "long", timeStyle: "short" }).format(event.started_at);
  return {
    title: `${what} ${event.id}, ${camera.name}, ${began.replace(" at ", ", ")} (${timeZone})`,
    summary: event.summary,
    facts: [
      ["Camera", `${camera.name} (${camera.camera_id})`],
      ["From", event.started_at.toISOString()],
      ["To", event.ended_at.toISOString()],
      ["Seen", event.object_types.join(", ") || "nothing"],
      ["Risk score", score],
      ["Notes", event.notes || "none"],
      ["Pack", `${id}, made ${now.toISOString()}${createdBy === null ? "" : ` by ${createdBy}`} with homesec ${programVersion()}`],
    ] as const,
  };
}

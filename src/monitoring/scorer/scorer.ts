import type { EventFacts } from "../upstream/facts.ts";
import { describeEvent } from "./description.ts";

export const scorerName = "built-in scorer";

export interface Factor {
  readonly name: string;
  /** Points of the score, a whole number. */
  readonly contribution: number;
  readonly detail: string;
}

/** An assessment in the format of a language model's answer. */
export interface ScorerAnswer {
  readonly risk_score: number;
  readonly summary: string;
  readonly reasoning: string;
  /** The contributions add up to the score exactly. */
  readonly risk_factors: readonly Factor[];
}

type ObjectFacts = EventFacts["objects"][number];
type Kind = "person" | "vehicle" | "animal";

const vehicles = ["car", "truck", "bus", "bicycle", "motorcycle"];

/** Points for the presence of a class at full confidence. */
const presence: Readonly<Record<string, number>> = {
  person: 36,
  truck: 18,
  car: 14,
  motorcycle: 16,
  bus: 10,
  bicycle: 12,
  dog: 8,
  cat: 3,
  bird: 1,
};
const unknownPresence = 10;

/** Points for the hour, by kind of object. Animals are normal at night. */
const hourPoints: Readonly<Record<"night" | "dark", Readonly<Record<Kind, number>>>> = {
  night: { person: 36, vehicle: 22, animal: 0 },
  dark: { person: 14, vehicle: 8, animal: 0 },
};

/** Points for the duration of a stay, for people. The longest duration reached counts. */
const stays = [
  { seconds: 30, points: 4 },
  { seconds: 60, points: 8 },
  { seconds: 180, points: 14 },
  { seconds: 600, points: 20 },
] as const;

const pointsPerAdditional = { person: 5, vehicle: 3, animal: 1 } as const;
const maxNumberPoints = 20;
const closeShare = 0.2;
const maxAnomalyPoints = 20;

/**
 * Scores an event by transparent rules: points for the objects (weighted by confidence), the hour, their number, the duration, how close
 * they are and how unusual the event is. Text in pictures does not count.
 */
export function score(facts: EventFacts): ScorerAnswer {
  const main = mainObject(facts.objects);
  const factors = main ? rate(facts, main) : [{ name: "nothing recognised", contribution: 0, detail: "no object of a known class" }];
  const sum = factors.reduce((total, { contribution }) => total + contribution, 0);
  const total = Math.min(100, Math.max(0, sum));
  if (total !== sum) factors.push({ name: "limit of the scale", contribution: total - sum, detail: "scores are between 0 and 100" });
  return { risk_score: total, ...describeEvent(facts, factors, total, scorerName), risk_factors: factors };
}

function rate(facts: EventFacts, main: ObjectFacts): Factor[] {
  const kind = kindOf(main.type);
  return [
    {
      name: `${main.type} present`,
      contribution: presencePoints(main),
      detail: `confidence ${Math.round(main.maxConfidence * 100)} %`,
    },
    ...rateVehicle(facts.objects, main),
    ...rateHour(facts.local, kind),
    ...rateNumber(main, kind),
    ...rateStay(facts.dwellSeconds, kind),
    ...rateDistance(main, kind),
    ...rateAnomaly(facts.anomaly),
  ];
}

/** Returns the object whose presence scores most. */
function mainObject(objects: readonly ObjectFacts[]): ObjectFacts | undefined {
  return objects.toSorted((a, b) => presencePoints(b) - presencePoints(a))[0];
}

function presencePoints({ type, maxConfidence }: ObjectFacts): number {
  return Math.round((presence[type] ?? unknownPresence) * maxConfidence);
}

function kindOf(type: string): Kind {
  if (type === "person") return "person";
  return vehicles.includes(type) ? "vehicle" : "animal";
}

/** A person with a vehicle can carry things away. */
function rateVehicle(objects: readonly ObjectFacts[], main: ObjectFacts): Factor[] {
  const vehicle = objects.find(({ type }) => kindOf(type) === "vehicle");
  if (kindOf(main.type) !== "person" || !vehicle) return [];
  return [{ name: "person with a vehicle", contribution: 5, detail: `with a ${vehicle.type}` }];
}

function rateHour({ hour, minute, weekday, timeZone }: EventFacts["local"], kind: Kind): Factor[] {
  const part = hour >= 23 || hour < 5 ? "night" : hour >= 20 || hour < 7 ? "dark" : undefined;
  const contribution = part ? hourPoints[part][kind] : 0;
  if (!part || contribution === 0) return [];
  const time = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  return [{ name: part === "night" ? "at night" : "early or late hour", contribution, detail: `${weekday}, ${time} ${timeZone}` }];
}

function rateNumber({ maxSimultaneous, type }: ObjectFacts, kind: Kind): Factor[] {
  const contribution = Math.min(maxNumberPoints, (maxSimultaneous - 1) * pointsPerAdditional[kind]);
  return contribution === 0
    ? []
    : [{ name: "several at once", contribution, detail: `${maxSimultaneous} of class ${type} in one picture` }];
}

function rateStay(seconds: number, kind: Kind): Factor[] {
  const points = stays.findLast((stay) => seconds >= stay.seconds)?.points ?? 0;
  const contribution = kind === "person" ? points : kind === "vehicle" ? Math.round(points / 2) : Math.round(points / 4);
  return contribution === 0 ? [] : [{ name: "long stay", contribution, detail: `${Math.round(seconds)} s` }];
}

function rateDistance({ largestShareOfPicture: share }: ObjectFacts, kind: Kind): Factor[] {
  if (share === null || share < closeShare || kind === "animal") return [];
  return [{ name: "near the camera", contribution: 5, detail: `fills ${Math.round(share * 100)} % of the picture` }];
}

function rateAnomaly(anomaly: EventFacts["anomaly"]): Factor[] {
  const contribution = Math.round((anomaly?.score ?? 0) * maxAnomalyPoints);
  return anomaly && contribution > 0 ? [{ name: "unusual for this camera", contribution, detail: anomaly.reason }] : [];
}

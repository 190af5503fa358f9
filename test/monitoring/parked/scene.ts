import type { Sight } from "../../../src/monitoring/parked/matching.ts";
import type { Spot } from "../../../src/monitoring/parked/place.ts";

/** How a detector sees something that stands still at night. */
export interface Unsteadiness {
  /** Shift and stretch of a box, as a share of its sides. */
  readonly jitter: number;
  /** Share of pictures in which the detector finds it. */
  readonly recall: number;
  /** Share of pictures in which headlights stretch the box to nearly twice its width. */
  readonly glare: number;
}

export const byDay: Unsteadiness = { jitter: 0.04, recall: 0.97, glare: 0 };
export const atNight: Unsteadiness = { jitter: 0.12, recall: 0.85, glare: 0.05 };

/** Returns the detections of a parked car in one picture: none, or a box near it as car, truck or bus. */
export function sightOf(box: Spot, random: () => number, { jitter, recall, glare }: Unsteadiness = atNight): readonly Sight[] {
  if (random() > recall) return [];
  const shift = (): number => (2 * random() - 1) * jitter;
  const stretch = random() < glare ? 1.7 : 1;
  const kind = random();
  const objectType = kind < 0.8 ? "car" : kind < 0.95 ? "truck" : "bus";
  return [
    {
      objectType,
      box: {
        x: box.x + shift() * box.width,
        y: box.y + shift() * box.height,
        width: box.width * (1 + shift()) * stretch,
        height: box.height * (1 + shift()),
      },
    },
  ];
}

/** The box of a car that passes in the street behind the parked one, at a moment from 0 to 1. */
export function passing(moment: number): Sight {
  return { objectType: "car", box: { x: -0.1 + 1.1 * moment, y: 0.12, width: 0.16, height: 0.11 } };
}

/** The box of a person who crosses the picture in front of the parked car, at a moment from 0 to 1. */
export function walker(moment: number): Sight {
  return { objectType: "person", box: { x: 0.9 * moment, y: 0.35, width: 0.09, height: 0.4 } };
}

/** A parked car. */
export const carBox: Spot = { x: 0.35, y: 0.45, width: 0.3, height: 0.25 };
/** Another one beside it, partly behind it. */
export const neighbourBox: Spot = { x: 0.58, y: 0.4, width: 0.27, height: 0.22 };

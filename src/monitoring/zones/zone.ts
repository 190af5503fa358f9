import type { z } from "zod";
import { contains, type Point } from "../../contract/polygon.ts";
import type { Zone as ZoneRecord } from "../../contract/routes/zones.ts";

/** A zone as clients see it. */
export type Zone = z.output<typeof ZoneRecord>;

/** What is needed to tell whether something is in a zone. */
export type Area = Pick<Zone, "name" | "points">;

/** Returns the names of the zones that a point lies in, in order of the names. The order of the zones does not matter. */
export function zonesAt(zones: readonly Area[], point: Point): readonly string[] {
  return zones
    .filter(({ points }) => contains(points, point))
    .map(({ name }) => name)
    .toSorted();
}

/** Converts corners to the literal that the database stores and compares: `((0.1,0.4),(0.5,0.4),(0.5,0.9))`. */
export function literalOf(points: readonly Point[]): string {
  return `(${points.map(({ x, y }) => `(${x},${y})`).join(",")})`;
}

/** Converts a stored literal to corners. */
export function pointsOf(literal: string): Point[] {
  const numbers = literal.match(/[^(),]+/g) ?? [];
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, at) => ({
    x: Number(numbers[2 * at]),
    y: Number(numbers[2 * at + 1]),
  }));
}

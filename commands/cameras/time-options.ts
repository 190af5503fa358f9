import { offsetIn } from "../../src/base/clock/time-zone.ts";
import { single, text, WrongValue } from "../input/options.ts";

/** The option that says which files of its folder a camera takes. */
export const fileOptions = {
  /** Null for the word `none`. */
  file_pattern: single("pattern", "Take only these files of a shared folder, or none for the rest", (given) =>
    given === "none" ? null : given,
  ),
};

/** Options that say how to read the times of a camera's files. */
export const timeOptions = {
  /** Null for the word `default`. */
  time_zone: single("zone", "Zone of the camera's clock, or default for the daemon's", zoneOf),
  time_template: text("template", "Template of its file names: auto, none, a name, a pattern"),
};

/** Parses the name of a time zone. */
function zoneOf(given: string): string | null {
  if (given === "default") return null;
  try {
    offsetIn(given);
  } catch {
    throw new WrongValue("the name of a time zone, such as UTC or Europe/Berlin, or default");
  }
  return given;
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capturedAt } from "../../../src/monitoring/camera-times/captured-at.ts";
import { fileNameTime, whyNoTemplate } from "../../../src/monitoring/camera-times/file-name-time.ts";
import { timeTemplates } from "../../../src/monitoring/camera-times/templates.ts";
import { timePattern, whyNoPattern } from "../../../src/monitoring/camera-times/time-pattern.ts";
import { instantOf, type WallTime } from "../../../src/monitoring/camera-times/wall-time.ts";

/** `2025-03-14T09:30:15.000`, with a Z where the name states the offset. */
const shown = ({ shownMs, offsetMinutes }: WallTime): string =>
  offsetMinutes === null ? new Date(shownMs).toISOString().slice(0, -1) : new Date(shownMs - offsetMinutes * 60_000).toISOString();

describe("file names: the built-in templates", () => {
  const examples = timeTemplates.flatMap(({ name, examples }) => examples.map((example) => ({ name, ...example })));

  it.each(examples)("$name reads $path", ({ name, path, time }) => {
    for (const template of [name, "auto"]) {
      const read = fileNameTime(`/srv/cameras/yard/${path}`, template);
      expect(read && { template: read.template, time: shown(read.time) }).toEqual({ template: name, time });
    }
  });

  it("names without a time are not read", () => {
    for (const path of ["lastsnap.jpg", "0001.jpg", "a-1234567.jpg", "IMG_4711.jpg", "20251332_093015.jpg", "2025-02-30 09.30.15.jpg", ""])
      expect(fileNameTime(`/srv/cameras/yard/${path}`, "auto")).toBeUndefined();
    // a serial number of 20 digits is no time
    expect(fileNameTime("20250314093015123456.jpg", "auto")).toBeUndefined();
  });

  it("any name is read or refused at once", () => {
    const piece = fc.constantFrom("2025", "03", "14", "09", "-", "_", "/", "*", "1", ".", "alarm", "[", " ", "T", "😀", "a".repeat(200));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
        ),
        (path) => {
          const start = performance.now();
          const read = fileNameTime(path, "auto");
          expect(read === undefined || Number.isFinite(read.time.shownMs)).toBe(true);
          expect(performance.now() - start).toBeLessThan(250);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("file names: custom patterns", () => {
  const two = (value: number): string => String(value).padStart(2, "0");
  const format = (pattern: string, at: Date): string =>
    pattern.replace(/%-?[A-Za-z%]/g, (token) => {
      const hour = at.getUTCHours();
      const values: Readonly<Record<string, string>> = {
        "%Y": String(at.getUTCFullYear()),
        "%y": two(at.getUTCFullYear() % 100),
        "%m": two(at.getUTCMonth() + 1),
        "%-m": String(at.getUTCMonth() + 1),
        "%d": two(at.getUTCDate()),
        "%-d": String(at.getUTCDate()),
        "%H": two(hour),
        "%-H": String(hour),
        "%I": two(hour % 12 || 12),
        "%-I": String(hour % 12 || 12),
        "%p": hour < 12 ? "AM" : "pm",
        "%M": two(at.getUTCMinutes()),
        "%S": two(at.getUTCSeconds()),
        "%L": String(at.getUTCMilliseconds()).padStart(3, "0"),
        "%f": String(at.getUTCMilliseconds()).padStart(3, "0"),
        "%z": "+00:00",
        "%s": String(Math.floor(at.getTime() / 1000)),
        "%%": "%",
      };
      return values[token] as string;
    });
  const dates = ["%Y%m%d", "%Y-%m-%d", "%y.%m.%d", "%-d_%-m_%Y", "%Y/%m/%d"];
  const times = ["%H%M%S%L", "%H-%M-%S.%f", "%I.%M.%S%p_%L", "%-H:%M:%S,%L", "%-I %M %S %p %L", "%H/%M/%S%L"];

  it("a time that is written by a pattern is read back by it", () => {
    const between = fc.date({ min: new Date("2001-09-10T00:00:00Z"), max: new Date("2098-01-01T00:00:00Z"), noInvalidDate: true });
    const pattern = fc
      .tuple(
        fc.constantFrom("", "*_", "cam[1] ", "100%% "),
        fc.constantFrom(...dates),
        fc.constantFrom("_", "T", " at "),
        fc.constantFrom(...times),
      )
      .map((pieces) => pieces.join(""));
    const ending = fc.constantFrom(".jpg", "", ".JPEG", ".jpg.12");
    fc.assert(
      fc.property(pattern, between, ending, (text, at, end) => {
        expect(whyNoTemplate(text)).toBeUndefined();
        const path = `/srv/cameras/yard/${format(text.replace("*", "porch"), at)}${end}`;
        expect(fileNameTime(path, text)?.time).toEqual({ shownMs: at.getTime(), offsetMinutes: null });
      }),
    );
    fc.assert(
      fc.property(between, (at) => {
        const second = Math.floor(at.getTime() / 1000) * 1000;
        expect(fileNameTime(format("yard_%s.jpg", at), "yard_%s")?.time).toEqual({ shownMs: second, offsetMinutes: 0 });
        expect(fileNameTime(format("yard_%Y%m%d%H%M%S%z.jpg", at), "*%Y%m%d%H%M%S%z")?.time.shownMs).toBe(second);
      }),
    );
  });

  it("a wrong template is refused with the reason", () => {
    expect(whyNoTemplate("auto")).toBeUndefined();
    expect(whyNoTemplate("none")).toBeUndefined();
    expect(whyNoTemplate("hikvison")).toMatch(/must be auto, none, dahua, .*, or a pattern such as \*_%Y%m%d_%H%M%S/);
    expect(whyNoTemplate("*%Y%m%d")).toMatch(/must have a date and a time/);
    expect(whyNoTemplate("%Y%m%d%I%M")).toMatch(/must have a date and a time/);
    expect(whyNoTemplate("%Y%m%d_%Q")).toMatch(/has %Q, which is none of %Y/);
    expect(whyNoTemplate("*a*b*c*%s")).toMatch(/at most 3 asterisks/);
    expect(whyNoTemplate(`${"x".repeat(200)}%s`)).toMatch(/at most 200 characters/);
  });

  it("any text is a pattern that can be used, or is refused", () => {
    const piece = fc.constantFrom("%Y", "%m", "%d", "%H", "%M", "%s", "%", "*", "?", "(", "[a-", "\\", "$", "/", "a", "+");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
        ),
        (text) => {
          if (whyNoPattern(text) === undefined) expect(() => timePattern(text).read("/a/2025-03-14.jpg")).not.toThrow();
        },
      ),
    );
  });
});

describe("file names: the zone of the camera", () => {
  const at = (text: string): WallTime => ({ shownMs: Date.parse(`${text}Z`), offsetMinutes: null });
  const instant = (text: string, zone: string, near: string): string => instantOf(at(text), zone, new Date(near)).toISOString();

  it("a time is read in the camera's zone, in winter and in summer", () => {
    expect(instant("2025-01-14T09:30:15", "Europe/Berlin", "2025-01-14T08:30:16Z")).toBe("2025-01-14T08:30:15.000Z");
    expect(instant("2025-07-14T09:30:15", "Europe/Berlin", "2025-07-14T07:30:16Z")).toBe("2025-07-14T07:30:15.000Z");
    expect(instant("2025-07-14T09:30:15", "Asia/Kolkata", "2025-07-14T07:30:16Z")).toBe("2025-07-14T04:00:15.000Z");
  });

  it("an hour that the clock shows twice is the one of the arrival", () => {
    expect(instant("2025-10-26T02:30:00", "Europe/Berlin", "2025-10-26T00:30:02Z")).toBe("2025-10-26T00:30:00.000Z");
    expect(instant("2025-10-26T02:30:00", "Europe/Berlin", "2025-10-26T01:30:02Z")).toBe("2025-10-26T01:30:00.000Z");
  });

  it("an hour that the clock skips is read as if it had not been changed, or an hour later", () => {
    expect(instant("2025-03-30T02:30:00", "Europe/Berlin", "2025-03-30T01:30:02Z")).toBe("2025-03-30T01:30:00.000Z");
    expect(instant("2025-03-30T02:30:00", "Europe/Berlin", "2025-03-30T00:30:02Z")).toBe("2025-03-30T00:30:00.000Z");
  });

  it("every instant, as a clock of the zone shows it, is found again", () => {
    const zone = fc.constantFrom("Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "UTC", "Africa/Casablanca", "Asia/Kathmandu");
    const when = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(zone, when, (timeZone, second) => {
        const instant = Math.floor(second / 1000) * 1000;
        const text = new Date(instant).toLocaleString("sv-SE", { timeZone }).replace(" ", "T");
        expect(instantOf(at(text), timeZone, new Date(instant + 2_000)).getTime()).toBe(instant);
      }),
    );
  });

  it("a chosen template goes before EXIF, the automatic ones come after it, and none reads nothing", () => {
    const file = { path: "IMG_20250314_093015.jpg", exif: at("2025-03-14T10:00:00"), near: new Date("2025-03-14T10:00:02Z") };
    const read = (template: string, exif: WallTime | null = file.exif): string | undefined =>
      capturedAt({ ...file, exif }, { timeZone: "UTC", template })
        ?.toISOString()
        .slice(11, 19);
    expect(read("auto")).toBe("10:00:00");
    expect(read("auto", null)).toBe("09:30:15");
    expect(read("android")).toBe("09:30:15");
    expect(read("hikvision")).toBe("10:00:00");
    expect(read("none")).toBeUndefined();
  });
});

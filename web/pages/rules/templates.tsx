import { Link } from "wouter";
import { useMoreTexts } from "../../texts/more.ts";
import { type Draft, emptyDraft } from "./draft.ts";

type MoreTexts = ReturnType<typeof useMoreTexts>;

/** The name of a template in the address. */
export type TemplateName = keyof MoreTexts["rules"]["templates"];

/** The night of a rule. */
export const night = { start_time: "22:00", end_time: "06:00" } as const;

/** What each template changes in an empty rule. */
const changes: Readonly<Record<TemplateName, (zone: string) => Partial<Draft>>> = {
  "people-at-night": (timezone) => ({ severity: "high", object_types: ["person"], schedule: { days: [], ...night, timezone } }),
  "people-away": () => ({ severity: "high", object_types: ["person"], modes: ["away", "night"] }),
  people: () => ({ object_types: ["person"] }),
  vehicles: () => ({ object_types: ["car", "truck", "bus", "motorcycle"] }),
  animals: () => ({ severity: "low", object_types: ["dog", "cat"] }),
  serious: () => ({ severity: "critical", risk_threshold: 70, cooldown_seconds: 600, escalate: true }),
  silent: () => ({ kind: "camera_health", severity: "high" }),
};

const names = Object.keys(changes) as TemplateName[];

/** The name of a camera or zone that says that cars stand there. */
const driveway = /drive|garage|carport|parking|einfahrt|parkplatz|hof\b/i;

interface TemplateContext {
  readonly texts: MoreTexts;
  readonly zone: string;
  readonly cameras: readonly { readonly camera_id: string; readonly name: string }[];
  /** Absent: the home has none yet. */
  readonly zones?: readonly { readonly camera_id: string; readonly name: string }[];
  readonly channels: Draft["channels"];
}

/** Returns the draft of a template; an empty one for a name that no template has. */
export function templateDraft(name: string | null, { texts, zone, cameras, zones = [], channels }: TemplateContext): Draft {
  const known = names.find((each) => each === name);
  const base = { ...emptyDraft, channels };
  if (!known) return base;
  const place = known === "vehicles" ? placeOfCars(cameras, zones) : {};
  return { ...base, name: texts.rules.templates[known].name, ...changes[known](zone), ...place };
}

/** The zones where cars stand, with their cameras; else the cameras whose name says so. */
function placeOfCars(cameras: TemplateContext["cameras"], zones: NonNullable<TemplateContext["zones"]>): Partial<Draft> {
  const drawn = zones.filter(({ name }) => driveway.test(name));
  if (drawn.length > 0) {
    const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
    return { zones: unique(drawn.map(({ name }) => name)), camera_ids: unique(drawn.map(({ camera_id }) => camera_id)) };
  }
  const named = cameras.filter((camera) => driveway.test(`${camera.camera_id} ${camera.name}`)).map(({ camera_id }) => camera_id);
  return named.length > 0 ? { camera_ids: named } : {};
}

/** The templates in words: the first step of a new rule. */
export function Templates() {
  const { rules } = useMoreTexts();
  const look = "flex h-full min-h-16 flex-col justify-center rounded-xl border border-line bg-card px-4 py-3 hover:bg-raised";
  return (
    <section aria-labelledby="templates">
      <h2 id="templates" className="text-lg font-semibold">
        {rules.start}
      </h2>
      <p className="mb-4 text-soft">{rules.startHint}</p>
      <ul className="grid gap-3 sm:grid-cols-2">
        {names.map((name) => (
          <li key={name}>
            <Link href={`/rules/new?from=${name}`} className={look}>
              <span className="font-medium">{rules.templates[name].name}</span>
              <span className="text-sm text-soft">{rules.templates[name].hint}</span>
            </Link>
          </li>
        ))}
        <li>
          <Link href="/rules/new?from=empty" className={`${look} border-dashed`}>
            <span className="font-medium">{rules.empty_rule}</span>
          </Link>
        </li>
      </ul>
    </section>
  );
}

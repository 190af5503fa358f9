import { Problem, type ProblemItem, type ProblemKind, type ProblemType } from "../../src/contract/problem.ts";
import { Said } from "./en.ts";
import { refusals } from "./refusals-de.ts";

/** The names of fields, as forms write them. */
const fields: Readonly<Record<string, string>> = {
  name: "Name",
  camera_id: "Kennung",
  folder_path: "Ordner",
  url: "Adresse",
  ends_at: "Ende",
  reason: "Grund",
  notes: "Notizen",
  risk_threshold: "Bewertung",
  zones: "Zonen",
  not_zones: "Ausgenommene Zonen",
  min_size: "Mindesthöhe",
  min_confidence: "Sicherheit",
  cooldown_seconds: "Abstand der Alarme",
  email_recipients: "Empfänger",
  event_types: "Meldungen",
  retention_days: "Aufbewahrung",
  expires_in_seconds: "Gültigkeit",
  against: "Notierter Hash",
};

/** What is the matter with a field, by the type of the error; `number` is the limit in its message, `list` what follows a colon. */
const items: Readonly<Partial<Record<ProblemType, (limit: string, list: string) => string | undefined>>> = {
  missing: () => "Bitte ausfüllen",
  int_parsing: () => "Muss eine ganze Zahl sein",
  float_parsing: () => "Muss eine Zahl sein",
  bool_parsing: () => "Muss ja oder nein sein",
  string_too_short: (limit) => (limit === "" ? "Darf nicht leer sein" : `Muss mindestens ${limit} Zeichen haben`),
  string_too_long: (limit) => `Darf höchstens ${limit} Zeichen haben`,
  greater_than_equal: (limit) => (limit === "" ? undefined : `Muss mindestens ${limit} sein`),
  less_than_equal: (limit) => (limit === "" ? undefined : `Darf höchstens ${limit} sein`),
  enum: (_, list) => (list === "" ? undefined : `Muss eines davon sein: ${list}`),
  extra_forbidden: () => "Dieses Feld gibt es nicht",
  datetime_parsing: () => "Ist kein gültiger Zeitpunkt",
  date_parsing: () => "Ist kein gültiges Datum",
  uuid_parsing: () => "Ist keine gültige Kennung",
  url_parsing: () => "Ist keine gültige Adresse",
};

/** Messages without a type of their own. */
const messages: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/^Must not be empty$/, () => "Darf nicht leer sein"],
  [/^Must have at least (\d+) entries$/, (count = "") => `Muss mindestens ${count} Einträge haben`],
  [/^Must have at most (\d+) entries$/, (count = "") => `Darf höchstens ${count} Einträge haben`],
  [/^Must be in the future\b/, () => "Muss in der Zukunft liegen"],
  [/^Must be greater than (-?[\d.]+)$/, (limit = "") => `Muss größer als ${limit} sein`],
  [/^Must be less than (-?[\d.]+)$/, (limit = "") => `Muss kleiner als ${limit} sein`],
  [/^Another key has the name ("[^"]*")/, (name = "") => `Den Namen ${quoted(name)} hat schon ein anderer Schlüssel. Wähle einen anderen.`],
  [
    /^(Camera|The deleted camera) (\S+) \(("[^"]*")\) has the (name|id|folder) (.+?)(?: already)?;/,
    (kind = "", id = "", name = "", field = "", value = "") => {
      const other = `die ${kind === "Camera" ? "" : "gelöschte "}Kamera ${quoted(name)} (${id})`;
      const taken =
        field === "name" ? `So heißt schon ${other}` : `${field === "id" ? "Die Kennung" : "Den Ordner"} ${value} hat schon ${other}`;
      return `${taken}. Wähle etwas anderes${kind === "Camera" ? "" : ", oder stelle sie wieder her"}.`;
    },
  ],
];

/** What is the matter, by the kind of the refusal. */
const kinds: Readonly<Partial<Record<ProblemKind, string>>> = {
  unauthorized: "Dieses Gerät ist nicht angemeldet. Melde dich neu an.",
  forbidden: "Das darfst du mit deinem Zugang nicht. Frage die Person, der homesec gehört.",
  not_found: "Das gibt es nicht, oder nicht mehr.",
  gone: "Das gibt es nicht mehr.",
  too_large: "Das ist zu groß.",
  rate_limited: "Zu viele Anfragen. Versuche es in einer Minute noch einmal.",
  unreachable: "homesec antwortet nicht. Läuft es, und bist du in seinem Netz?",
};

const quoted = (json: string): string => `„${json.slice(1, -1)}“`;

/** What homesec says in its own words, which are English. */
const reported = (message: string): string => `homesec meldet: ${message}`;

function known(message: string): string | undefined {
  for (const [pattern, text] of messages) {
    const match = pattern.exec(message);
    if (match) return text(...match.slice(1));
  }
  for (const [english, german] of refusals) {
    const source = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{([a-d])\}/g, "(?<$1>.+?)");
    const match = new RegExp(`^${source}$`, "s").exec(message);
    if (match) return german.replace(/\{([a-d])\}/g, (_, part: string) => match.groups?.[part] ?? "");
  }
  return undefined;
}

/** Says in German what is the matter with a field. */
export function itemText({ type, msg }: Pick<ProblemItem, "type" | "msg">): string {
  const [limit = ""] = /-?\d+(?:\.\d+)?/.exec(msg) ?? [];
  const [, list = ""] = /: (.+?)(?: \(not ".*"\))?$/.exec(msg) ?? [];
  return known(msg) ?? items[type]?.(limit, list) ?? reported(msg);
}

/** Says in German why something failed. */
export function faultText(error: unknown): string {
  if (error instanceof Said) return error.message;
  if (!(error instanceof Problem)) return error instanceof Error ? reported(error.message) : String(error);
  if (error.items.length === 0) return known(error.message) ?? kinds[error.kind] ?? reported(error.message);
  return error.items.map((item) => `${nameOf(item)}${itemText(item)}`).join("; ");
}

function nameOf({ loc }: ProblemItem): string {
  const field = loc.findLast((part) => typeof part === "string" && part !== "body");
  return field === undefined ? "" : `${fields[field] ?? field}: `;
}

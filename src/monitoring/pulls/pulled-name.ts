/** Where a pulled picture goes below the camera's folder. */
export interface PulledName {
  readonly folders: readonly string[];
  readonly name: string;
}

/**
 * Names a pulled picture by its time, in a folder for its day. A camera of a shared folder takes only the files of its pattern, so its
 * pictures get a name that the pattern describes: `ch01*` gives `ch01pull-20261128T081349.123Z.jpg`.
 */
export function pulledName(pattern: string | null, at: Date, ending: string): PulledName {
  const [day = "", time = ""] = at.toISOString().split("T");
  const stem = `pull-${day.replaceAll("-", "")}T${time.replaceAll(":", "")}`;
  if (pattern === null) return { folders: [day], name: `${stem}.${ending}` };
  const places = pattern.split("/");
  const last = places.pop() ?? "";
  const folders = places.map((place) => place.replaceAll(/\*+/g, "pull").replaceAll("?", "0"));
  return { folders: pattern.includes("/") ? folders : [day], name: filled(last, stem, ending) };
}

/** Puts a name in place of the last wildcard, and the ending too if nothing follows. */
function filled(pattern: string, stem: string, ending: string): string {
  const [, before = "", after = ""] = /^(.*?)\*+([^*]*)$/.exec(pattern) ?? [undefined, pattern, undefined];
  const plain = before.replaceAll("*", "");
  const text = pattern.includes("*") ? `${plain}${stem}${after === "" ? `.${ending}` : after}` : plain;
  return text.replaceAll("?", "0");
}

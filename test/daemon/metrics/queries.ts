import type { Sample } from "./exposition.ts";

/** Labels that Prometheus adds to scraped samples. */
const added = ["instance", "job"];
/** Prometheus's own series. */
const ofPrometheus = ["up"];

/** A query with Grafana's variables replaced, as Prometheus accepts it. */
export function filledIn(query: string): string {
  return query
    .replaceAll("$__rate_interval", "5m")
    .replaceAll("$__interval", "1m")
    .replaceAll("$__range", "1d")
    .replaceAll("$instance", ".*");
}

/** Returns the metrics, labels and label values of a query that no sample has. Parses only as much of the language as that needs. */
export function unknownIn(query: string, samples: readonly Sample[]): readonly string[] {
  const unknown: string[] = [];
  const bare = query.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const names = [...bare.matchAll(/\b(?:homesec|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name);
  const known = (name: string): readonly Sample[] => samples.filter((sample) => sample.name === name);
  for (const name of names) if (!ofPrometheus.includes(name) && known(name).length === 0) unknown.push(name);

  for (const [, name = "", selector = ""] of query.matchAll(/\b((?:homesec|process|nodejs)_\w+)\{([^}]*)\}/g)) {
    for (const [, label = "", operator = "", value = ""] of selector.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)) {
      if (added.includes(label)) continue;
      const values = new Set(known(name).flatMap(({ labels }) => labels[label] ?? []));
      if (values.size === 0) unknown.push(`${name}{${label}}`);
      else {
        for (const each of operator.endsWith("~") ? value.split("|") : [value])
          if (!values.has(each)) unknown.push(`${name}{${label}="${each}"}`);
      }
    }
  }
  const labels = new Set(names.flatMap((name) => known(name).flatMap((sample) => Object.keys(sample.labels))));
  for (const [, list = ""] of bare.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)) {
    for (const label of list.split(",").map((each) => each.trim())) {
      if (label !== "" && !added.includes(label) && !labels.has(label)) unknown.push(`(${label})`);
    }
  }
  return unknown;
}

/** The body as YAML: times and everything else as in JSON. */
export async function yaml(body: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(JSON.stringify(body ?? null)), { lineWidth: 0 });
}

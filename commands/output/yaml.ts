/** Formats a body as YAML, with the values of JSON. */
export async function yaml(body: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(JSON.stringify(body ?? null)), { lineWidth: 0 });
}

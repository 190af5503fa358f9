/** Posts JSON. Resolves to the status and the reply. */
export async function post(url: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

/** Creates something over HTTP: a rule, a webhook, a camera. Throws with the reply if that fails. */
export async function create(url: string, body: object): Promise<void> {
  const { status, body: reply } = await post(url, body);
  if (status !== 201) throw new Error(`${url} answered ${status}: ${JSON.stringify(reply)}`);
}

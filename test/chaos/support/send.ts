/** Creates something over HTTP: a rule, a webhook, a camera. Throws with the reply if that fails. */
export async function create(url: string, body: object): Promise<void> {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (answer.status !== 201) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}

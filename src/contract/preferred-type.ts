/**
 * The one of the media types that an `Accept` header prefers, undefined when it names none of them. Wildcards and types
 * that are not offered are no preference; parameters other than `q` do not count.
 */
export function preferredType(offered: readonly string[], accept: string | undefined): string | undefined {
  const wishes = (accept ?? "").split(",").map((wish) => {
    const [type = "", ...parameters] = wish.split(";").map((part) => part.trim().toLowerCase());
    const q = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    return { type, q };
  });
  const [best] = wishes
    .flatMap(({ type, q }) => offered.filter((mediaType) => bare(mediaType) === type && q > 0).map((mediaType) => ({ mediaType, q })))
    .toSorted((a, b) => b.q - a.q);
  return best?.mediaType;
}

function bare(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}

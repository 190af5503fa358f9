import type { Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";

/** Replaces two parts of Swagger UI by plain text. */
export const plainTexts: Plugin = {
  wrapComponents: {
    // Swagger UI would make markup of descriptions, which the policy of this page forbids; none needs more than `code`
    Markdown:
      (_, { React: { createElement } }) =>
      ({ source = "" }) =>
        createElement(
          "div",
          { className: "markdown" },
          createElement("p", null, ...source.split("`").map((part, at) => (at % 2 === 0 ? part : createElement("code", null, part)))),
        ),
    // a link inside of the button that opens its route cannot be reached; opening the route changes the address as well
    DeepLink:
      (_, { React: { createElement } }) =>
      ({ text }) =>
        createElement("span", null, text),
  },
};

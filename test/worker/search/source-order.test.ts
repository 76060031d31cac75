import { describe, expect, it } from "vitest";
import { createResolvers } from "../../../src/platforms/registry.ts";
import { orderSources, unconfigured } from "../../../src/search/source-order.ts";
import { RESOLVERS } from "../../support/resolvers.ts";
import { testSettings } from "../../support/settings.ts";

const orderOf = (SOURCES: string | null) => {
  const ordered = orderSources(RESOLVERS, SOURCES);
  return (service: keyof typeof RESOLVERS) => ordered[service].sources.map(({ name }) => name);
};

describe("SOURCES", () => {
  it("unset leaves each service its own order", () => {
    expect(orderOf(null)("messenger-channel")).toEqual(["embed", "preview"]);
  });

  it("orders and leaves out the sources of the services that it names", () => {
    const order = orderOf(" messenger-channel = preview , embed ; microblog=syndication; ");
    expect(order("messenger-channel")).toEqual(["preview", "embed"]);
    expect(order("microblog")).toEqual(["syndication"]);
    expect(orderOf("messenger-channel=preview")("messenger-channel")).toEqual(["preview"]);
  });

  it.each([
    ["myspace=embed", '"myspace" is no service; there are photo-feed, '],
    ["microblog", "microblog: names no source"],
    ["microblog=", "microblog: names no source"],
    ["microblog= , ", "microblog: names no source"],
    ["=syndication", '"" is no service'],
    ["microblog=syndication=embed", 'microblog: has more than one "="'],
    ["microblog=syndication;microblog=syndication", "microblog: is there twice"],
    ["microblog=syndication,syndication", 'microblog: "syndication" is there twice'],
    [
      "messenger-channel=embed,web",
      'messenger-channel: "web" is no source; there is embed, preview',
    ],
    ["microblog=constructor", 'microblog: "constructor" is no source'],
  ])("is refused at the start: %s", (text, problem) => {
    expect(() => orderOf(text)).toThrow(`configuration: SOURCES: ${problem}`);
  });
});

describe("a source that wants a variable", () => {
  it("is left out without it, and the service that has no other says so", () => {
    expect(orderOf(null)("photo-feed-story")).toEqual([]);
    expect(unconfigured(RESOLVERS, null)).toContainEqual({
      service: "photo-feed-story",
      configure: ["HIKERAPI_KEY"],
    });
  });

  it("is asked with it", () => {
    const resolvers = createResolvers(testSettings({ HIKERAPI_KEY: "key" }).platforms);
    const { sources } = orderSources(resolvers, null)["photo-feed-story"];
    expect(sources.map(({ name }) => name)).toEqual(["hikerapi"]);
    const left = unconfigured(resolvers, null).map(({ service }) => service);
    expect(left).not.toContain("photo-feed-story");
  });
});

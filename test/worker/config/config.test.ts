import { expect, it } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { testSettings, type Variables } from "../../support/settings.ts";

const UNSET = { ACCOUNTS_TABLE: null, UPSTASH_REDIS_REST_TOKEN: null };

const read = (variables: Variables) => testSettings(variables).store;

it.each(["x.evil/", "eu central", "", "EU-CENTRAL-1"])("refuses %j as a region", (AWS_REGION) => {
  expect(() => read({ AWS_REGION })).toThrow("AWS_REGION: is no region");
});

it.each(["cn-north-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1"])(
  "wants the endpoint of %s said, whose hosts do not end in amazonaws.com",
  (AWS_REGION) => {
    const problem = "DYNAMODB_ENDPOINT: is needed for a region outside amazonaws.com";
    expect(() => read({ AWS_REGION, DYNAMODB_ENDPOINT: "" })).toThrow(problem);
    const DYNAMODB_ENDPOINT = "https://dynamodb.cn-north-1.amazonaws.com.cn";
    expect(read({ AWS_REGION, DYNAMODB_ENDPOINT })).toMatchObject({ DYNAMODB_ENDPOINT });
  },
);

it("takes Amazon's own endpoint for the others", () => {
  for (const AWS_REGION of ["eu-central-1", "us-gov-west-1"]) {
    expect(read({ AWS_REGION, DYNAMODB_ENDPOINT: "" }).DYNAMODB_ENDPOINT).toBeNull();
  }
});

it("names every variable that is missing or unusable at once, whichever room reads it", () => {
  const secret = "postgres://secret";
  const problems = () => testSettings({ ...UNSET, COBALT_URL: secret, EGRESS_URL: secret });
  expect(problems).toThrow(
    /ACCOUNTS_TABLE: .*UPSTASH_REDIS_REST_TOKEN: .*EGRESS_URL: .*COBALT_URL: /,
  );
  expect(problems).not.toThrow(secret);
});

it("says so when there is no environment at all", () => {
  expect(() => readConfig(undefined)).toThrow("configuration: ");
});

it("hands each platform its own variables and nothing else", () => {
  const { platforms } = testSettings({ HIKERAPI_KEY: "key", COBALT_URL: "https://cobalt.example" });
  expect(platforms).toEqual({
    cobalt: { COBALT_URL: "https://cobalt.example", COBALT_API_KEY: null },
    hikerapi: { HIKERAPI_URL: "https://api.hikerapi.com", HIKERAPI_KEY: "key" },
    pinterest: { PINBOARD_HANDLER: "www/pin/[id].js", PINBOARD_FIELD_SET: "detailed" },
    tiktok: {
      SHORT_VIDEO_PLAYER_QUERY: "aid=1284&app_name=tiktok_web&device_platform=web_pc",
    },
  });
});

const SERVERS = [
  "DYNAMODB_ENDPOINT",
  "UPSTASH_REDIS_REST_URL",
  "EGRESS_URL",
  "HIKERAPI_URL",
  "COBALT_URL",
];

it.each(SERVERS)("takes %s over plain http on this machine alone", (name) => {
  for (const url of ["http://127.0.0.1:8000", "http://localhost:1/x", "http://[::1]/"]) {
    expect(() => testSettings({ [name]: url })).not.toThrow();
  }
  for (const host of ["store.example", "localhost.example", "127.0.0.1.example", "10.0.0.1"]) {
    const problem = `${name}: must be https, except on this machine`;
    expect(() => testSettings({ [name]: `http://${host}/` })).toThrow(problem);
    expect(() => testSettings({ [name]: `https://${host}/` })).not.toThrow();
  }
});

it.each(["EGRESS_URL", "HIKERAPI_URL", "COBALT_URL"])("takes no user name in %s", (name) => {
  const problem = `${name}: names a user`;
  expect(() => testSettings({ [name]: "https://user:word@host.example/" })).toThrow(problem);
});

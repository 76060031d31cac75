import { expect, it } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { testSettings } from "../../support/settings.ts";

const read = (variables: Record<string, string>) => {
  const { DYNAMODB_ENDPOINT, ...settings } = testSettings();
  return readConfig({ ...settings, DYNAMODB_ENDPOINT: DYNAMODB_ENDPOINT ?? "", ...variables });
};

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

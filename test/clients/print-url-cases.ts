import { urlCases } from "./url-cases.ts";

/** Prints the cases as lines of JSON. Arguments: how many near ones, and the seed. */
const [nearCount = "10000", seed = "1"] = process.argv.slice(2);
const lines = urlCases(Number(nearCount), Number(seed)).map((one) => `${JSON.stringify(one)}\n`);
process.stdout.write(lines.join(""));

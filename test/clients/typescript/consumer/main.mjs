import process from "node:process";
import { run } from "./run.mjs";

const { BASE_URL = "", API_KEY = "", MEDIA_URL = "", MEDIA_PATH = "" } = process.env;
const given = { baseUrl: BASE_URL, apiKey: API_KEY, mediaUrl: MEDIA_URL, path: MEDIA_PATH };
console.log(JSON.stringify(await run(given)));

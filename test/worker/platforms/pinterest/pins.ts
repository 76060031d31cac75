import { postAt } from "../../../support/replies.ts";

/** Synthetic replies about one pin, in the forms of the platform. */
export const ID = "1000000000000000001";
export const POST = postAt(`https://www.pinterest.com/pin/${ID}/`, "pinboard");

const FOLDERS = "aa/bb/cc";

/** The URL of an image. One letter names its file. */
export function image(size: string, letter = "a", ending = "jpg"): string {
  return `https://i.pinimg.com/${size}/${FOLDERS}/aabbcc${letter.repeat(26)}.${ending}`;
}

/** The URL of a video's file or playlist, below `videos/`. */
export function video(folder: string, ending: string, letter = "d"): string {
  return `https://v1.pinimg.com/videos/${folder}/${FOLDERS}/aabbcc${letter.repeat(26)}${ending}`;
}

export const sized = (letter: string, ...sizes: readonly string[]) =>
  Object.fromEntries(
    sizes.map((size) => [
      size === "originals" ? "orig" : size,
      { url: image(size, letter), width: Number.parseInt(size, 10) || 2000 },
    ]),
  );

/** A pin in the resource endpoint's form. It has one image by default. */
export const pin = (other: object = {}) => ({
  id: ID,
  type: "pin",
  title: "",
  description: " ",
  images: sized("a", "736x", "originals"),
  videos: null,
  story_pin_data: null,
  carousel_data: null,
  embed: null,
  pinner: { username: "sample_user", full_name: "Sample" },
  ...other,
});

export const resource = (data: unknown, status: object = {}) =>
  JSON.stringify({ resource_response: { status: "success", code: 0, ...status, data } });

export const widget = (...data: readonly unknown[]) => JSON.stringify({ status: "success", data });

/** The page's script in the layout recorded in 2024. */
export const script2024 = (data: unknown) =>
  `<script data-relay-response="true" type="application/json">\n${JSON.stringify({
    variables: { pinId: ID },
    response: { data: { v3GetPinQuery: { __typename: "V3GetPin", data } } },
  })}</script>`;

/** The page's script in the layout that public extractors read in 2026. */
export const script2026 = (data: unknown) =>
  `<script data-relay-completed-request="true">window.__PWS_RELAY_REGISTER_COMPLETED_REQUEST__("%7B%22pinId%22%3A%22${ID}%22%7D", ${JSON.stringify(
    { data: { v3GetPinQueryv2: { __typename: "V3GetPin", data } } },
  )});</script>`;

export const page = (...scripts: readonly string[]) =>
  `<!doctype html><html><head><script>let id = "${ID}";</script></head><body>${scripts.join("\n")}
    <img src="${image("75x75_RS", "e")}"></body></html>`;

/** A pin in the page's form. */
export const pagePin = (other: object = {}) => ({
  entityId: ID,
  id: "UGluOjE=",
  title: "",
  closeupUnifiedDescription: " ",
  imageSpec_orig: { url: image("originals") },
  imageSpec_736x: { url: image("736x") },
  videos: null,
  storyPinData: null,
  pinner: { username: "sample_user", fullName: "Sample" },
  ...other,
});

import { describe, expect, it } from "vitest";
import { expiresAt } from "../../../infra/clients/typescript/src/services/expires-at.ts";

const AT = new Date("2027-01-15T08:00:00Z");
const seconds = AT.getTime() / 1000;
const hex = seconds.toString(16);
const folder = "0123456789abcdef0123456789abcdef";

describe("expiresAt", () => {
  it.each([
    `https://scontent.cdninstagram.com/v/a.jpg?oh=1&oe=${hex.toUpperCase()}&_nc_sid=1`,
    `https://video.xx.fbcdn.net/v/a.mp4?oe=${hex}`,
    `https://p16-sign.tiktokcdn-us.com/a.image?dr=1&x-expires=${seconds}&x-signature=a%3D`,
    `https://v16-webapp.tiktok.com/video/a/?a=1&expire=${seconds}&tk=1`,
    `https://v19.tiktokcdn.com/${folder}/${hex}/video/tos/a/`,
  ])("reads the end that is written in %s", (url) => {
    expect(expiresAt({ url })).toEqual(AT);
  });

  it.each([
    "https://pbs.twimg.com/media/a.jpg?name=orig",
    "https://i.pinimg.com/originals/a.jpg",
    "https://cdn4.telesco.pe/file/a.jpg?token=abc",
    // Another platform's parameter, a part of another name, a time that cannot be, and no URL.
    `https://pbs.twimg.com/media/a.jpg?oe=${hex}`,
    `https://scontent.cdninstagram.com/v/a.jpg?xoe=${hex}`,
    "https://scontent.cdninstagram.com/v/a.jpg?oe=00000001",
    `https://cdninstagram.com.example/v/a.jpg?oe=${hex}`,
    "oe=69DC5776",
  ])("finds none in %s", (url) => {
    expect(expiresAt({ url })).toBeNull();
  });
});

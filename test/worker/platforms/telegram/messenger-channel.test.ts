import { describe, expect, it } from "vitest";
import { parseTelegramEmbed } from "../../../../src/platforms/telegram/embed.ts";
import { parseTelegramPreview } from "../../../../src/platforms/telegram/preview.ts";
import { codeIn, postAt, resolve, summary } from "../../../support/replies.ts";

const CDN = "https://cdn4.telesco.pe/file";
const POST = postAt("https://t.me/chan/12", "messenger-channel");

const message = (inside: string, post = "chan/12", classes = "") =>
  `<div class="tgme_widget_message ${classes} js-widget_message" data-post="${post}">${inside}</div>`;

const photo = (name: string, number = 12) =>
  `<a class="tgme_widget_message_photo_wrap blured" href="https://t.me/chan/${number}?single"
    style="width:9px;background-image:url('${CDN}/${name}.jpg');left:0"></a>`;

const player = (inside: string, number = 12, classes = "") =>
  `<a class="tgme_widget_message_video_player ${classes}" href="https://t.me/chan/${number}?single">
    <i class="tgme_widget_message_video_thumb" style="background-image:url('${CDN}/poster.jpg')"></i>
    ${inside}</a>`;

const video = (name: string) =>
  `<video class="tgme_widget_message_video" src="${CDN}/${name}.mp4?token=x&amp;y=1"></video>`;

const label = (text: string) => `<div class="message_media_not_supported_label">${text}</div>`;

const text = (inside: string) =>
  `<div class="tgme_widget_message_text js-message_text" dir="auto">${inside}</div>`;

const embed = (html: string, post = POST) => parseTelegramEmbed(html, post);

const items = async (inside: string) => summary(await embed(message(inside)));

const captionOf = async (inside: string) => {
  const found = await embed(message(photo("a") + inside));
  return found.ok ? found.value.metadata.caption : codeIn(found.failure);
};

describe("parseTelegramEmbed takes", () => {
  it("photos whatever the quoting, and without scheme", async () => {
    const styled = (style: string) =>
      `<a class="tgme_widget_message_photo_wrap" style="background-image:${style}"></a>`;
    const url = "//cdn4.telesco.pe/file/a.jpg?x=1&amp;y=2";
    for (const style of [
      `url('${url}')`,
      `url(&#39;${url}&#39;)`,
      `url(&quot;${url}&quot;)`,
      `url(${url})`,
    ]) {
      const found = await embed(message(styled(style)));
      expect(found.ok && found.value.items).toEqual([
        { type: "image", url: "https://cdn4.telesco.pe/file/a.jpg?x=1&y=2" },
      ]);
    }
  });

  it("an album in the page's order, whichever of its items is asked for", async () => {
    const inside =
      photo("a", 12) + player(video("b"), 13) + photo("c", 14) + player(video("d"), 15);
    const all = ["image a.jpg", "video b.mp4", "image c.jpg", "video d.mp4"];
    for (const number of [12, 13, 15]) {
      const post = postAt(`https://t.me/chan/${number}`, "messenger-channel");
      expect(summary(await embed(message(inside), post))).toEqual(all);
    }
  });

  it("with ?single the one item of an album that the post names", async () => {
    const inside = photo("a", 12) + player(video("b"), 13) + photo("c", 14);
    const single = async (number: number) =>
      summary(
        await embed(
          message(inside),
          postAt(`https://t.me/chan/${number}?single`, "messenger-channel"),
        ),
      );
    expect(await single(12)).toEqual(["image a.jpg"]);
    expect(await single(13)).toEqual(["video b.mp4"]);
    const alone = postAt("https://t.me/chan/12?single=", "messenger-channel");
    const bare = message(
      `<a class="tgme_widget_message_photo_wrap" style="background-image:url(${CDN}/x.jpg)">`,
    );
    expect(summary(await embed(bare, alone))).toEqual(["image x.jpg"]);
  });

  it("videos from the element or its source, once where there is a blurred copy", async () => {
    expect(await items(player(video("a") + video("a")))).toEqual(["video a.mp4"]);
    expect(await items(player(`<video><source src="${CDN}/b.mp4"></video>`))).toEqual([
      "video b.mp4",
    ]);
    expect(await items(player(`${video("a")}${label("This media is not supported")}`))).toEqual([
      "video a.mp4",
    ]);
  });

  it("loops, round videos and voice notes", async () => {
    const loop = `<video src="${CDN}/l.mp4" autoplay loop muted></video>`;
    const round = `<div class="tgme_widget_message_roundvideo_player">
      <video class="tgme_widget_message_roundvideo" src="${CDN}/r.mp4"></video></div>`;
    const voice = `<a class="tgme_widget_message_voice_player" href="https://t.me/chan/12">
      <audio class="tgme_widget_message_voice" src="${CDN}/v.ogg?token=x"></audio></a>`;
    expect(await items(player(loop) + round + voice)).toEqual([
      "video l.mp4",
      "video r.mp4",
      "audio v.ogg",
    ]);
  });

  it("a file that is linked in place of the video, but not a link to the message", async () => {
    const link = (href: string) =>
      `<a class="message_media_view_in_telegram" href="${href}">VIEW</a>`;
    expect(await items(player(link(`${CDN}/f.mp4?token=x`)))).toEqual(["video f.mp4"]);
    expect(await items(player(link("https://t.me/chan/12")))).toBe("MEDIA_NOT_FOUND");
    const cover = (href: string) => `<div class="message_media_not_supported">${link(href)}</div>`;
    expect(await items(cover(`${CDN}/f.mp4?token=x`))).toEqual(["video f.mp4"]);
    expect(await items(photo("a") + cover(`${CDN}/f.mp4`))).toEqual(["image a.jpg", "video f.mp4"]);
    expect(await items(cover("https://t.me/chan/12"))).toBe("MEDIA_NOT_FOUND");
    expect(await items(player(video("a") + link(`${CDN}/f.mp4`)))).toEqual(["video a.mp4"]);
    const answered = `<a class="tgme_widget_message_reply">${cover(`${CDN}/f.mp4`)}</a>`;
    expect(await items(answered)).toBe("MEDIA_NOT_FOUND");
  });

  it("what an album shows beside an item that is too big", async () => {
    const big = player(label("Media is too big"), 13, "not_supported");
    expect(await items(photo("a") + big)).toEqual(["image a.jpg"]);
    expect(await items(big + player(video("b"), 14))).toEqual(["video b.mp4"]);
    const single = postAt("https://t.me/chan/13?single", "messenger-channel");
    expect(summary(await embed(message(photo("a") + big), single))).toBe("MEDIA_NOT_FOUND");
  });

  it("videos and voice notes whose address has no scheme", async () => {
    const bare = (address: string) => address.replace("https:", "");
    expect(await items(bare(player(video("a"))))).toEqual(["video a.mp4"]);
    const voice = `<audio class="tgme_widget_message_voice" src="${bare(CDN)}/v.ogg"></audio>`;
    expect(await items(voice)).toEqual(["audio v.ogg"]);
  });

  it("no address of another host, whichever element has it", async () => {
    const foreign = (inside: string) => inside.replaceAll(CDN, "https://evil.example");
    for (const inside of [photo("a"), player(video("b"))]) {
      const reply = () => new Response(message(foreign(inside)));
      const found = await resolve(POST, "messenger-channel", reply);
      expect(summary(found)).toBe("UPSTREAM_INVALID_RESPONSE");
    }
  });

  it("the channel as it spells itself, whatever case the URL has", async () => {
    const post = postAt("https://t.me/CHAN/12", "messenger-channel");
    const found = await embed(message(photo("a"), "Chan/12"), post);
    expect(found).toMatchObject({ value: { metadata: { title: null, author: "Chan" } } });
  });
});

describe("parseTelegramEmbed makes the caption", () => {
  it("with line breaks, entities decoded, emoji kept and the page's own indentation gone", async () => {
    const inside = `One <b>two</b><br/>three &amp;lt; &quot;q&quot;&nbsp;&#33;<br>
      <i class="emoji" style="background-image:url('//x/1.png')"><b>👍</b></i>\n   `;
    expect(await captionOf(text(inside))).toBe('One two\nthree &lt; "q"\u00a0!\n👍');
  });

  it("from the message, not from what it answers or links to", async () => {
    const answered = `<a class="tgme_widget_message_reply">${text("answered")}</a>`;
    const linked = `<a class="tgme_widget_message_link_preview">${text("linked")}</a>`;
    expect(await captionOf(answered + text("own") + linked)).toBe("own");
    expect(await captionOf(answered)).toBe("");
  });

  it("line by line where there are two", async () => {
    expect(await captionOf(text("one") + text("two"))).toBe("one\ntwo");
  });

  it("once where the markup nests it", async () => {
    expect(await captionOf(text(text("own")))).toBe("own");
  });
});

describe("parseTelegramEmbed fails", () => {
  const error = (inside: string) => `<div class="tgme_widget_message_error">${inside}</div>`;

  it.each([
    ["a post that is not there", error("Post not found")],
    ["a channel that is not there", error("Channel with username <b>@chan</b> not found")],
    ["text alone", message(text("words"))],
    ["media that is too big", message(player(label("Media is too big"), 12, "not_supported"))],
    [
      "an album that is too big",
      message([12, 13].map((n) => player(label("Media is too big"), n)).join("")),
    ],
    ["a GIF that is too big", message(player(label("GIF is too big"), 12, "not_supported"))],
    ["a username that is a person's", error("Please open Telegram to view this post from @chan")],
    [
      "a live photo or paid media",
      message(label("This media is not supported in the widget") + text("words")),
    ],
    ["a poll", message('<div class="tgme_widget_message_poll"><div>Yes</div></div>')],
    [
      "a poll with media",
      message(
        `<div class="tgme_widget_message_poll">Yes</div>${label("Please open Telegram to view this post")}`,
      ),
    ],
    [
      "a location",
      message(`<a class="tgme_widget_message_location_wrap">
        <div class="tgme_widget_message_location" style="background-image:url('//maps.example/1.png')"></div></a>`),
    ],
    [
      "a contact",
      message(`<div class="tgme_widget_message_contact_wrap">
        <i class="tgme_widget_message_user_photo"><img src="${CDN}/avatar.jpg"></i></div>`),
    ],
    [
      "the channel's own picture",
      message(`<a class="tgme_widget_message_user"><i class="tgme_widget_message_user_photo">
        <img src="${CDN}/avatar.jpg"></i></a>${text("words")}`),
    ],
    ["protected content", message(label("Please open Telegram to view this post"))],
    [
      "a restricted channel",
      label("This channel can't be displayed because it was used to spread pornographic content."),
    ],
    ["a service message", message(photo("a"), "chan/12", "service_message")],
    [
      "a sticker",
      message(`<i class="tgme_widget_message_sticker" data-webp="${CDN}/s.webp"></i>
        <div class="tgme_widget_message_videosticker"><video src="${CDN}/s.webm"></video></div>`),
    ],
    [
      "a document",
      message(`<a class="tgme_widget_message_document_wrap" href="${CDN}/d.pdf"></a>`),
    ],
    [
      "a link preview",
      message(`<a class="tgme_widget_message_link_preview">${photo("p")}${player(video("p"))}</a>`),
    ],
    ["an answered photo", message(`<a class="tgme_widget_message_reply">${photo("p")}</a>`)],
  ])("with not found for %s", async (_what, html) => {
    expect(summary(await embed(html))).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    ["a page without a message", "<html><body>Telegram</body></html>"],
    ["an empty page", ""],
    ["another message", message(photo("a", 13), "chan/13")],
    ["another channel's message of that number", message(photo("a"), "other/12")],
    ["a nameless message", message(photo("a"), "")],
    [
      "a message whose name has moved, whatever its player says",
      message(player(label("This media is not supported in your browser"))).replace(
        "data-post",
        "data-p",
      ),
    ],
  ])("with invalid response for %s", async (_what, html) => {
    expect(summary(await embed(html))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  const BROWSER = label("This media is not supported in your browser");
  const part = (name: string) => `<i class="${name}"></i>`;

  it.each([
    ["a photo without its address", '<a class="tgme_widget_message_photo_wrap" data-src="/a"></a>'],
    ["a video element without it", player('<video data-src="/a.mp4"></video>')],
    ["such an element beside the hidden label", player(`<video></video>${BROWSER}`)],
    ["a player without an element, with that label alone", player(BROWSER)],
    ["a player without a word", player("")],
    ["a voice note without it", '<audio class="tgme_widget_message_voice"></audio>'],
    ["a round video without it", '<div class="tgme_widget_message_roundvideo_player"></div>'],
    ["a duration alone", '<time class="message_video_duration">0:10</time>'],
    ["a thumbnail of a video", part("tgme_widget_message_video_thumb")],
    ["a part of an album", part("hologram grouped_media_wrap")],
    ["a voice note's player alone", part("tgme_widget_message_voice_player")],
  ])("with invalid response for %s: the platform has moved it", async (_what, inside) => {
    expect(await items(inside)).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(await items(inside + text("words"))).toBe("UPSTREAM_INVALID_RESPONSE");
    const answered = `<a class="tgme_widget_message_reply">${inside}</a>`;
    expect(await items(answered)).toBe("MEDIA_NOT_FOUND");
    expect(summary(await embed(message(inside, "chan/12", "service_message")))).toBe(
      "MEDIA_NOT_FOUND",
    );
  });

  it("with not found for a player that is marked or says why it has no file", async () => {
    for (const inside of [
      player(BROWSER, 12, "not_supported"),
      player(label("Media is too big")),
      player('<a class="message_media_view_in_telegram" href="https://t.me/chan/12"></a>'),
      part("hologram grouped_media_wrap") + label("Please open Telegram to view this post"),
    ]) {
      expect(await items(inside)).toBe("MEDIA_NOT_FOUND");
    }
  });

  it("but returns what it knows of an album with a medium of a new kind", async () => {
    const hologram = `<a class="tgme_widget_message_hologram grouped_media_wrap"
      style="background-image:url('${CDN}/poster.jpg')"></a>`;
    expect(await items(photo("a") + hologram + player(video("b"), 14))).toEqual([
      "image a.jpg",
      "video b.mp4",
    ]);
  });

  it("with the reason that the page gives", async () => {
    expect(await embed(message(player(label("Media is too big"))))).toMatchObject({
      failure: { cause: "no media: Media is too big" },
    });
  });
});

describe("parseTelegramPreview", () => {
  const page = [11, 12, 14]
    .map((n) => message(photo(`p${n}`, n) + text(`${n}`), `chan/${n}`))
    .join("");

  it("reads the one message out of the page", async () => {
    const found = await parseTelegramPreview(page, POST);
    expect(found).toMatchObject({
      value: { items: [{ url: `${CDN}/p12.jpg` }], metadata: { caption: "12" } },
    });
  });

  it("is not misled by a message that speaks of the post, or of markup", async () => {
    const about = message(photo("p9", 9) + text('t.me/chan/12 data-post="chan/12" &lt;'), "chan/9");
    const found = await parseTelegramPreview(about + page, POST);
    expect(summary(found)).toEqual(["image p12.jpg"]);
    const post = postAt("https://t.me/chan/9", "messenger-channel");
    expect(await parseTelegramPreview(about + page, post)).toMatchObject({
      value: { metadata: { caption: 't.me/chan/12 data-post="chan/12" <' } },
    });
  });

  it("is not misled by a link that looks like a message", async () => {
    const link = '<a href="https://e.example/?data-post=&quot;chan/12&quot;">link</a>';
    const html = message(text(`before ${link} after`) + photo("p12"));
    expect(await parseTelegramPreview(html, POST)).toMatchObject({
      value: { items: [{ url: `${CDN}/p12.jpg` }], metadata: { caption: "before link after" } },
    });
    const many = message(photo("p9", 9) + text(link.repeat(150)), "chan/9");
    expect(summary(await parseTelegramPreview(many + page, POST))).toEqual(["image p12.jpg"]);
  });

  it.each(["data-post=", "<a data-post=", '<a data-post="chan/12">', "<", "/12 "])(
    "is no matter of minutes: 2 MB of %s",
    async (unit) => {
      const noise = unit.repeat(2_000_000 / unit.length);
      for (const parse of [parseTelegramEmbed, parseTelegramPreview]) {
        const code = summary(await parse(noise, POST));
        expect(["MEDIA_NOT_FOUND", "UPSTREAM_INVALID_RESPONSE"]).toContain(code);
      }
    },
    20_000,
  );

  it.each([
    ["blanks in a caption", (noise: string) => photo("p12") + text(noise), " "],
    [
      "styles in a photo",
      (noise: string) =>
        `${photo("p12")}<a class="tgme_widget_message_photo_wrap" style="${noise}"></a>`,
      "background-image:url(",
    ],
  ])(
    "is no matter of minutes: 200 KB of %s",
    async (_what, inside, unit) => {
      const html = message(inside(unit.repeat(200_000 / unit.length)));
      expect(summary(await parseTelegramPreview(html, POST))).toEqual(["image p12.jpg"]);
    },
    20_000,
  );

  it.each(["<br> ", "<", "<b>x</b>"])("drifts where a caption has 200 KB of %s", async (unit) => {
    const html = message(photo("p12") + text(unit.repeat(200_000 / unit.length)));
    expect(summary(await parseTelegramPreview(html, POST))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(summary(await parseTelegramEmbed(html, POST))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("says not found where the channel shows other messages only", async () => {
    const post = postAt("https://t.me/chan/13", "messenger-channel");
    expect(summary(await parseTelegramPreview(page, post))).toBe("MEDIA_NOT_FOUND");
  });

  it.each(["No posts found", ""])(
    "says not found for its marker of an empty list: %j",
    async (said) => {
      const history = `<section class="tgme_channel_history js-message_history">
      <div class="tme_no_messages_found">${said}</div></section>`;
      const html = `<html><body>${text("tme_no_messages_found")}${history}</body></html>`;
      expect(summary(await parseTelegramPreview(html, POST))).toBe("MEDIA_NOT_FOUND");
      const spoken = `<html><body>${text("tme_no_messages_found")}</body></html>`;
      expect(summary(await parseTelegramPreview(spoken, POST))).toBe("UPSTREAM_INVALID_RESPONSE");
      const shown = history + message(photo("p12"));
      expect(summary(await parseTelegramPreview(shown, POST))).toEqual(["image p12.jpg"]);
    },
  );

  it("says invalid response where the messages' names have moved, whatever a player says", async () => {
    const big = message(player(label("Media is too big"), 11), "chan/11");
    const moved = (big + page).replaceAll("data-post", "data-p");
    expect(summary(await parseTelegramPreview(moved, POST))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("says invalid response for another channel's page, or a page without messages", async () => {
    const post = postAt("https://t.me/other/12", "messenger-channel");
    expect(summary(await parseTelegramPreview(page, post))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(summary(await parseTelegramPreview("<html>", POST))).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});

describe("the messenger-channel sources", () => {
  const EMBED = "https://t.me/chan/12?embed=1&mode=tme";
  const PREVIEW = "https://t.me/s/chan/12";

  const asking = async (answers: Readonly<Record<string, Response>>, post = POST) => {
    const asked: string[] = [];
    const found = await resolve(post, "messenger-channel", (url) => {
      asked.push(url);
      return answers[url] ?? new Response("", { status: 500 });
    });
    return { asked, outcome: summary(found) };
  };

  const page = (body: string) => new Response(body);

  it("ask for the embed page alone when that has an answer", async () => {
    const good = { [EMBED]: page(message(photo("a"))) };
    expect(await asking(good)).toEqual({ asked: [EMBED], outcome: ["image a.jpg"] });
    const missing = {
      [EMBED]: page('<div class="tgme_widget_message_error">Post not found</div>'),
    };
    expect(await asking(missing)).toEqual({ asked: [EMBED], outcome: "MEDIA_NOT_FOUND" });
  });

  it("ask for the same page with ?single and from the preview's URL", async () => {
    const post = postAt("https://telegram.me/s/chan/12?single", "messenger-channel");
    expect((await asking({ [EMBED]: page(message(photo("a"))) }, post)).asked).toEqual([EMBED]);
  });

  it("go on to the preview after any other failure", async () => {
    for (const bad of [page("<html>"), new Response("", { status: 429 })]) {
      const answers = { [EMBED]: bad, [PREVIEW]: page(message(photo("a"))) };
      expect(await asking(answers)).toEqual({ asked: [EMBED, PREVIEW], outcome: ["image a.jpg"] });
    }
  });

  it("find an album in the preview by any of its items", async () => {
    const post = postAt("https://t.me/chan/13", "messenger-channel");
    const inside = message(photo("a", 12) + photo("b", 13) + player(video("c"), 14));
    const answers = { "https://t.me/s/chan/13": page(message(photo("z", 11), "chan/11") + inside) };
    expect((await asking(answers, post)).outcome).toEqual([
      "image a.jpg",
      "image b.jpg",
      "video c.mp4",
    ]);
  });

  it("let a channel without preview not hide what the embed page said", async () => {
    const none = () => new Response("", { status: 302, headers: { location: "/chan" } });
    const outcomeOf = async (embedded: Response) =>
      (await asking({ [EMBED]: embedded, [PREVIEW]: none() })).outcome;
    expect(await outcomeOf(page("<html>"))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(await outcomeOf(new Response("", { status: 403 }))).toBe("UPSTREAM_REJECTED");
    expect(await outcomeOf(new Response("", { status: 500 }))).toBe("UPSTREAM_ERROR");
  });

  it.each([
    [401, "UPSTREAM_REJECTED"],
    [403, "UPSTREAM_REJECTED"],
    [429, "UPSTREAM_REJECTED"],
    [400, "UPSTREAM_INVALID_RESPONSE"],
    [500, "UPSTREAM_ERROR"],
    [503, "UPSTREAM_ERROR"],
    [408, "UPSTREAM_TIMEOUT"],
    [504, "UPSTREAM_TIMEOUT"],
  ])("take status %i of both for %s", async (status, code) => {
    const [first, second] = [new Response("", { status }), new Response("", { status })];
    expect((await asking({ [EMBED]: first, [PREVIEW]: second })).outcome).toBe(code);
  });

  it("take a redirect to another host for a refusal", async () => {
    const away = () =>
      new Response("", { status: 302, headers: { location: "https://telegram.org/" } });
    expect((await asking({ [EMBED]: away(), [PREVIEW]: away() })).outcome).toBe(
      "UPSTREAM_REJECTED",
    );
  });
});

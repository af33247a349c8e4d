// The pages of HTML in headless Chromium: they open without a complaint, filter, expand, print, and what a candidate says is
// text. PLIMSOLL names the command, CHROMIUM the browser.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const plimsoll = resolve(process.env.PLIMSOLL ?? "target/release/plimsoll");
const helpers = resolve(import.meta.dirname, "../../examples/adapters");
const hostile = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
const dir = mkdtempSync(join(tmpdir(), "page-"));
const complaints = [];
let browser;

function check(page, ...rest) {
  const ran = spawnSync(plimsoll, ["check", "--effort", "smoke", "--html", page, "--json", `${page}.json`, ...rest], { cwd: dir });
  assert.equal(ran.status, 1, String(ran.stderr));
}

async function open(file, scheme = "light") {
  const page = await browser.newPage();
  page.on("console", (message) => complaints.push(`${file}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`${file}: ${error}`));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`${file}: asks for ${request.url()}`);
  });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setViewport({ width: 1100, height: 900 });
  await page.goto(pathToFileURL(join(dir, file)).href);
  return page;
}

const shown = (page, selector) =>
  page.$$eval(selector, (all) => all.filter((one) => one.checkVisibility()).length);

before(async () => {
  writeFileSync(
    join(dir, "hostile.py"),
    `import sys
sys.path.insert(0, ${JSON.stringify(helpers)})
import plimsoll
class Hostile(plimsoll.Keeper):
    name, version = ${JSON.stringify(hostile)}, "1"
    contract = {"capabilities": ["summarize"]}
    def step(self, conversation, host):
        raise RuntimeError(${JSON.stringify(hostile)})
plimsoll.run(Hostile())
`,
  );
  check("bad.html", "--candidate", "self-counting-throttle");
  check("hostile.html", "--", "python3", "hostile.py");
  const reports = ["bad.html.json", "hostile.html.json"];
  execFileSync(plimsoll, ["matrix", ...reports, "--html", "matrix.html"], { cwd: dir });
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
});

after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
});

test("each page opens, in light and in dark, and asks for nothing", async () => {
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".html"))) {
    const grounds = [];
    for (const scheme of ["light", "dark"]) {
      const page = await open(file, scheme);
      grounds.push(await page.$eval("body", (body) => getComputedStyle(body).backgroundColor));
      // Nothing is wider than the page: what is wide scrolls by itself.
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${file} is ${over} pixels too wide`);
      await page.close();
    }
    assert.notEqual(grounds[0], grounds[1], file);
  }
  assert.deepEqual(complaints, []);
});

test("the requirements filter, with the keyboard too", async () => {
  const page = await open("bad.html");
  const rows = "table.rows tbody tr";
  assert.equal(await shown(page, rows), 100);
  const failing = await page.$$eval(`${rows}[data-is=fails]`, (all) => all.length);
  await page.click("#show-fails");
  assert.equal(await shown(page, rows), failing);
  await page.focus("#show-fails");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.$eval("#show-holds", (radio) => radio.checked), true);
  assert.equal(await shown(page, rows), await page.$$eval(`${rows}[data-is=holds]`, (all) => all.length));
  await page.close();
});

test("the contract expands, and each tile leads to its row", async () => {
  const page = await open("bad.html");
  assert.equal(await shown(page, "details pre"), 0);
  await page.focus("summary");
  await page.keyboard.press("Enter");
  assert.equal(await shown(page, "details pre"), 1);
  for (const target of await page.$$eval("a[href^='#']", (all) => all.map((one) => one.getAttribute("href").slice(1)))) {
    assert.equal(await page.$$eval(`[id="${target}"]`, (all) => all.length), 1, target);
  }
  await page.close();
});

test("it says in words what it shows in pictures and colours", async () => {
  const page = await open("bad.html");
  const names = await page.$$eval("svg[role=img] > title", (all) => all.map((one) => one.textContent));
  assert.ok(names.length > 0 && names.every((name) => /\d+ events/.test(name)), names.join());
  const unnamed = await page.$$eval(".tile:not([aria-hidden])", (all) => all.filter((one) => !one.getAttribute("aria-label")).length);
  assert.equal(unnamed, 0);
  assert.equal(await page.$eval("html", (html) => html.lang), "en");
  await page.close();
});

test("it prints, the contract included", async () => {
  const page = await open("bad.html");
  const pdf = await page.pdf({ format: "A4" });
  assert.equal(Buffer.from(pdf.slice(0, 5)).toString(), "%PDF-");
  await page.emulateMediaType("print");
  assert.equal(await shown(page, "details pre"), 1);
  assert.equal(await shown(page, ".filter"), 0);
  await page.close();
});

test("what a candidate says is text", async () => {
  for (const file of ["hostile.html", "matrix.html"]) {
    const page = await open(file);
    assert.notEqual(await page.title(), "taken");
    assert.equal(await page.$$eval("script, img", (all) => all.length), 0);
    assert.ok((await page.$eval("body", (body) => body.innerText)).includes("<script>document.title"), file);
    await page.close();
  }
  assert.deepEqual(complaints, []);
});

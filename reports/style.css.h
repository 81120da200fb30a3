/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page's style. Verdicts are told apart by word and place as well as by colour; blue against
 * orange holds for the common kinds of colour blindness.
 */
#ifndef REPORTS_STYLE_CSS_H
#define REPORTS_STYLE_CSS_H

/* clang-format off */
static const char style_css[] =
":root{color-scheme:light dark;--paper:#fbfaf8;--card:#fff;--ink:#1c1b1a;--dim:#6b6762;"
"--line:#e2ded8;--bad:#c8441b;--good:#2b6cb0;--skip:#9a948c;--weak:#b7860b;--host:#7b4fa3;"
"--none:#e4e0da;--bad-soft:#fdf0ea;--code:#f3f0ec}"
"@media(prefers-color-scheme:dark){:root{--paper:#161514;--card:#1f1e1c;--ink:#eceae6;"
"--dim:#a09a92;--line:#35322e;--bad:#f0784a;--good:#6ea8e6;--skip:#87817a;--weak:#d9a92f;"
"--host:#b08ad6;--none:#3a3733;--bad-soft:#2e1e17;--code:#292724}}"
"*{box-sizing:border-box}"
"body{margin:0;background:var(--paper);color:var(--ink);"
"font:16px/1.55 system-ui,-apple-system,'Segoe UI','Noto Sans',sans-serif}"
"main{max-width:1080px;margin:0 auto;padding:32px 24px 64px}"
"code,.id,pre{font-family:ui-monospace,'SF Mono','DejaVu Sans Mono',monospace;font-size:.875em}"
".id{overflow-wrap:anywhere}td .id{white-space:nowrap}"
"header p{margin:0;color:var(--dim);font-size:.875rem}"
"h1{font-size:1.15rem;font-weight:600;margin:.2rem 0 0;letter-spacing:-.005em}"
"h2{font-size:1.05rem;margin:2.6rem 0 .3rem}"
".note{color:var(--dim);font-size:.9rem;margin:.2rem 0 .8rem;max-width:76ch}"
".card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px 24px}"
".answer{margin-top:1.2rem;border-left:5px solid var(--dim)}"
".answer.found{border-left-color:var(--bad);background:var(--bad-soft)}"
".answer .subject{font-size:1.5rem;font-weight:650;line-height:1.25;margin:.35rem 0 .5rem;"
"letter-spacing:-.015em;overflow-wrap:anywhere}"
".answer .id{font-size:.95rem}.answer ul{margin:.6rem 0 0;padding-left:1.2rem}"
".answer p{margin:.5rem 0 0}"
".key{display:flex;flex-wrap:wrap;gap:6px 20px;font-size:.875rem;color:var(--dim);margin:0 0 10px}"
".key i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px}"
".scroll{overflow-x:auto}"
"table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}"
"th{text-align:left;font-weight:600;color:var(--dim);font-size:.8rem}"
"th,td{padding:6px 14px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}"
"tr:last-child td{border-bottom:0}td.n,th.n{text-align:right;white-space:nowrap}"
"td.tight{width:1%;white-space:nowrap}td.s{overflow-wrap:anywhere;min-width:16rem}tr.culprit{background:var(--bad-soft)}"
"tr.hot td{font-weight:650;color:var(--bad)}td small{color:var(--dim);display:block}"
".v{display:inline-block;min-width:3.4em;text-align:center;border-radius:5px;padding:0 7px;"
"font-size:.8rem;font-weight:600;border:1.5px solid;line-height:1.5;white-space:nowrap}"
".v.bad,.v.failed{color:var(--bad)}.v.good,.v.shown{color:var(--good)}"
".v.skip,.v.none,.v.missing{color:var(--dim)}.v.weak{color:var(--weak)}.v.host{color:var(--host)}"
"i.bad{background:var(--bad)}i.good{background:var(--good)}i.skip{background:var(--skip)}"
"i.weak{background:var(--weak)}i.none{background:var(--none)}i.host{background:var(--host)}"
"i.mark{background:none;border:2px solid var(--ink);transform:rotate(45deg) scale(.72);"
"border-radius:0}"
"svg{display:block;width:100%;min-width:720px;height:auto;overflow:visible}"
"svg .bad{fill:var(--bad)}svg .good{fill:var(--good)}svg .skip{fill:var(--skip)}"
"svg .weak{fill:var(--weak)}svg .host{fill:var(--host)}svg .none{fill:var(--none)}"
"svg text{font-size:12.5px;fill:var(--ink)}svg .label,svg .sub{text-anchor:end}"
"svg .label{font-weight:600}svg .sub,svg .tick{fill:var(--dim);font-size:11.5px}"
"svg .start{text-anchor:start}svg .tick{text-anchor:middle}"
"svg .word{paint-order:stroke;stroke:var(--card);stroke-width:4;stroke-linejoin:round}"
"svg .value{font-variant-numeric:tabular-nums}"
"svg .grid{stroke:var(--line);stroke-width:1}"
"svg .point{fill:var(--card);stroke:var(--ink);stroke-width:1}"
"svg .mark{fill:var(--card);stroke:var(--ink);stroke-width:1.8}"
"svg .way{fill:none;stroke:var(--dim);stroke-width:1;opacity:.55}"
"svg .culprit{stroke:var(--bad);stroke-width:1;stroke-dasharray:2 4}"
"dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 22px;margin:0;font-size:.9rem}"
"dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}"
"pre{background:var(--code);border-radius:8px;padding:12px 16px;margin:0;overflow-x:auto}"
"footer{margin-top:2.6rem;color:var(--dim);font-size:.85rem}"
"@media print{body{background:#fff}main{padding:0}.card{break-inside:avoid}}";
/* clang-format on */

#endif

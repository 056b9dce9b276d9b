/** The style sheet of the report; it loads no font, picture or script. */
export const reportStyle = `
:root{color-scheme:light dark;--bg:#faf8f3;--raised:#fff;--sunken:#f1eee6;--ink:#1d1b17;--ink2:#524d43;--ink3:#6a6457;
--line:#dcd7c9;--edge:#857f70;--move:#1b4f9e;--move-fill:#d3e1f6;--proof:#05774a;--on-proof:#fff;--refuse:#96161f;
--refuse-fill:#f7d9d6;--you-ink:#7a4300;--you:#ffcc66;--on-you:#1d1b17}
@media(prefers-color-scheme:dark){:root{--bg:#13151b;--raised:#1b1e26;--sunken:#0d0f14;--ink:#ebe8e1;--ink2:#bdb9af;
--ink3:#9b978d;--line:#2d323d;--edge:#747b8a;--move:#6ea8f5;--move-fill:#1b3152;--proof:#86e8b4;--on-proof:#0d0f14;
--refuse:#f58172;--refuse-fill:#4a1f1b;--you-ink:#ffcf6b;--you:#ffcf6b}}
*{box-sizing:border-box;margin:0}
body{background:var(--bg);color:var(--ink);font:15px/24px Inter,system-ui,-apple-system,"Segoe UI",sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:1200px;margin:0 auto;padding:48px}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
h1{font-size:32px;line-height:40px;font-weight:600;letter-spacing:-.01em;max-width:28em;margin:16px 0 8px}
h2{font-size:15px;line-height:24px;font-weight:600}
.top{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;color:var(--ink3);font-size:13px}
.badge{display:inline-flex;gap:8px;align-items:center;padding:2px 12px;border-radius:4px;font-weight:600;font-size:13px;
border:1px solid transparent}
.badge.good{background:var(--proof);color:var(--on-proof)}
.badge.look{background:var(--you);color:var(--on-you)}
.badge.bad{background:var(--refuse-fill);color:var(--refuse);border-color:var(--refuse)}
.badge.plain{border:1px dashed var(--edge);color:var(--ink)}
.badge.running{background:var(--move-fill);color:var(--move)}
.lead{color:var(--ink2);max-width:86ch}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(240px,1fr));gap:16px 32px;margin:24px 0 0;padding:0}
.figures dt{color:var(--ink3);font-size:13px;line-height:20px}
.figures dd{margin:0}
section{border-top:1px solid var(--edge);margin-top:40px;padding-top:16px;display:grid;
grid-template-columns:168px minmax(0,1fr);gap:8px 32px}
section>header p{color:var(--ink3);font-size:13px;line-height:20px}
ul.plain{list-style:none;padding:0}
ul.plain li{display:grid;grid-template-columns:24px minmax(0,1fr);padding:4px 0}
ul.plain li+li{border-top:1px solid var(--line)}
.mark{font-weight:600}
.good>.mark{color:var(--proof)}.look>.mark{color:var(--you-ink)}.bad>.mark{color:var(--refuse)}.plain>.mark{color:var(--ink3)}
.asked{white-space:pre-wrap;max-width:86ch}
blockquote{border-left:2px solid var(--ink2);padding-left:16px;white-space:pre-wrap;max-width:80ch;
font:16px/25px Charter,"Iowan Old Style",Georgia,"DejaVu Serif",serif}
.trail{display:flex;flex-wrap:wrap;gap:4px;margin-bottom:16px}
.trail span{min-width:24px;height:24px;line-height:22px;text-align:center;border-radius:2px;border:1px solid var(--line);
font-size:13px;font-weight:600;color:var(--ink2);background:var(--raised)}
.trail .good{background:var(--proof);border-color:var(--proof);color:var(--on-proof)}
.trail .bad{background:var(--refuse-fill);border-color:var(--refuse);color:var(--refuse)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px;line-height:20px}
caption{text-align:left;color:var(--ink3);padding-bottom:8px}
th{font-weight:400;color:var(--ink3);text-align:left;border-bottom:1px solid var(--edge);white-space:nowrap}
td{border-bottom:1px solid var(--line);vertical-align:top}
th,td{padding:6px 16px 6px 0}
th.n,td.n{text-align:right;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
td.outcome{min-width:140px;width:40%}td.first{width:100%;min-width:180px}
tr.good .sign{color:var(--proof)}tr.bad .sign{color:var(--refuse)}
.sign{font-weight:600;text-align:center;width:24px}
.add{color:var(--proof)}.del{color:var(--refuse)}
.note{color:var(--ink3);font-size:13px;padding-top:8px}
ol.next{list-style:none;padding:0;display:grid;gap:16px}
ol.next pre{background:var(--sunken);border:1px solid var(--line);border-radius:4px;padding:8px 12px;white-space:pre-wrap;
user-select:all}
ol.next p{color:var(--ink2);font-size:13px;line-height:20px;padding-top:4px}
footer{border-top:1px solid var(--line);margin-top:48px;padding-top:16px;color:var(--ink3);font-size:13px;line-height:20px}
@media(max-width:720px){main{padding:24px 16px 40px}h1{font-size:24px;line-height:31px}section{grid-template-columns:
minmax(0,1fr);margin-top:32px}section>header{display:flex;gap:12px;align-items:baseline}.figures{grid-template-columns:
minmax(0,1fr);gap:8px}.figures div{display:grid;grid-template-columns:80px minmax(0,1fr)}.figures dt{line-height:24px}.wide{display:none}th,td{padding-right:12px}td.outcome{min-width:104px}}
@media print{body{background:#fff}main{padding:0;max-width:none}section{break-inside:avoid-page}}
`.trim();

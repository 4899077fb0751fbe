(()=>{const d=document,r=d.documentElement,L=localStorage;let t;
try{if(t=L.getItem('theme'))r.dataset.theme=t}catch{}
r.classList.add('js');
addEventListener('DOMContentLoaded',()=>{
const b=d.getElementById('theme');b.hidden=false;
b.onclick=()=>{const k=r.dataset.theme,n=k=='dark'||k=='auto'&&matchMedia('(prefers-color-scheme:dark)').matches?'light':'dark';r.dataset.theme=n;try{L.setItem('theme',n)}catch{}};
const f=d.querySelector('form.filters');
if(f)f.onchange=e=>{const x=e.target;if(x.tagName=='SELECT'?x.value!='custom':x.type=='date'&&[...f.querySelectorAll('[type=date]')].every(i=>i.value||!i.offsetParent))f.requestSubmit()};
d.addEventListener('click',e=>d.querySelectorAll('.ms[open]').forEach(m=>m.contains(e.target)||m.removeAttribute('open')));
d.addEventListener('keydown',e=>{if(e.key=='Escape')d.querySelectorAll('.ms[open]').forEach(m=>{m.removeAttribute('open');m.firstChild.focus()})});
d.querySelectorAll('.plot[data-n]').forEach(s=>{const c=s.closest('.card'),T=c.querySelector('.src table'),n=+s.dataset.n,R=+s.dataset.r,B='b'in s.dataset||R,p=s.dataset.p?.split(' ');
if(!T)return;
let tip,hair;
s.onpointermove=e=>{const q=s.getBoundingClientRect(),w=q.width,x=(e.clientX-q.left)/w;let i,at,txt,H=T.rows[0].cells;
if(B)i=Math.floor(x*n),at=(i+.5)/n;else if(p){let m=9;p.forEach((v,k)=>{const g=Math.abs(v/1e3-x);if(g<m)m=g,i=k});at=p[i]/1e3}else i=n>1?Math.round(x*(n-1)):0,at=n>1?i/(n-1):.5;
const row=T.rows[(R?Math.floor((e.clientY-q.top)/q.height*R):i)+1];
if(!row||i<0||i>=n)return out();
const C=row.cells;
txt=R?C[0].textContent+' · '+H[i+1].textContent+'\n'+C[i+1].textContent:[...C].map((v,k)=>k&&C.length>2?H[k].textContent+'  '+v.textContent:v.textContent).join('\n');
if(!tip){tip=d.createElement('div');tip.className='tip';tip.ariaHidden=true;c.append(tip);hair=d.createElementNS('http://www.w3.org/2000/svg','line');hair.setAttribute('class','hair');hair.setAttribute('y2','100%');s.append(hair)}
tip.hidden=false;tip.textContent=txt;hair.style.display=B?'none':'';hair.setAttribute('x1',at*100+'%');hair.setAttribute('x2',at*100+'%');
const k=c.getBoundingClientRect(),l=q.left-k.left+at*w;tip.style.left=Math.max(4,l+12+tip.offsetWidth>k.width?l-12-tip.offsetWidth:l+12)+'px';tip.style.top=q.top-k.top+4+'px'};
const out=s.onpointerleave=()=>{if(tip){tip.hidden=true;hair.style.display='none'}}})})})()

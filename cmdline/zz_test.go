package cmdline_test
import ("testing";"strings";"time";"runtime";"github.com/lineclear/lineclear/cmdline")
func TestZZ(t *testing.T){
 for n, s := range map[string]string{
 "subst": strings.Repeat("$(", 1990), "substclosed": strings.Repeat("echo $(", 1900)+strings.Repeat(")",1900),
 "paren": strings.Repeat("(", 1990), "arith": "echo $(("+strings.Repeat("(", 1900)+"1"+strings.Repeat(")",1900)+"))",
 "not": strings.Repeat("! ", 1900)+"ls", "if": strings.Repeat("if ", 20000), "ifthen": strings.Repeat("if a;then ", 6000)+strings.Repeat("fi;",6000), "and": strings.Repeat("a&&", 20000)+"a", "or cd": strings.Repeat("cd a&&b||c;", 5000), 
 "pipe": strings.Repeat("a|", 30000)+"a", "semi": strings.Repeat("a;", 30000), "words": "echo "+strings.Repeat("a ", 30000), "braces": "echo "+strings.Repeat("{1..256} ", 1990),
 "bracenest": "echo "+strings.Repeat("{a,", 1900)+strings.Repeat("}",1900), "prod": "echo "+strings.Repeat("{a,b}", 1900), "bt": strings.Repeat("`", 1900), "quotes": strings.Repeat("\"$(echo ", 900)+strings.Repeat(")\"",900), "while": strings.Repeat("while ", 10000), "case": strings.Repeat("case x in ", 6000), "while2": strings.Repeat("while a;do ", 5000)+strings.Repeat("done;",5000), "param": strings.Repeat("${x:-", 1900)+strings.Repeat("}",1900), "eval": strings.Repeat("eval ", 12000)+"ls", "env": strings.Repeat("env ", 15000)+"ls", "evals": strings.Repeat("eval 'ls;a'; cd x;", 3500), "time": strings.Repeat("time ", 12000)+"ls","sudo": strings.Repeat("nice ", 10)+"ls", "funcs": strings.Repeat("f(){ ", 1900)+strings.Repeat("}",1900), "find": "find . "+strings.Repeat("-exec a {} + ", 1000), "unary": "echo $((" + strings.Repeat("-", 30000)+"1))", "tern": "echo $((" + strings.Repeat("1?", 10000)+"1"+strings.Repeat(":1",10000)+"))", "test": "[[ "+strings.Repeat("! ", 1900)+" a ]]","coproc": strings.Repeat("coproc ",9000)+"a","git":"git "+strings.Repeat("-x ",20000), "hdoc": strings.Repeat("cat <<a;",8000), "amp": "a "+strings.Repeat("&>f ", 16000), "arr": strings.Repeat("a=(", 1900), "pow": "echo $((" + strings.Repeat("1**", 20000)+"1))", "assign": "echo $((" + strings.Repeat("a=", 30000)+"1))", "else": "if a;then b;"+strings.Repeat("elif a;then b;", 4000)+"fi", "paths": "cat "+strings.Repeat("*", 60000), "idx": strings.Repeat("a[", 1990),
 } {
  var m0,m1 runtime.MemStats; runtime.ReadMemStats(&m0)
  println(n); t0:=time.Now(); l:=cmdline.Parse(s); d:=time.Since(t0); runtime.ReadMemStats(&m1)
  t0=time.Now(); l.Hazards(); cmdline.Suggest(l); r:=readRules(t); r.verdict(l); d2:=time.Since(t0)
  if d > 100*time.Millisecond || d2>100*time.Millisecond || m1.StackSys>m0.StackSys+50<<20 { t.Logf("%s len %d: %v, then %v, alloc %dM stack %dM parts %d unknown %d", n, len(s), d, d2, (m1.TotalAlloc-m0.TotalAlloc)>>20, m1.StackSys>>20, len(l.Parts), len(l.Unknown)) }
 }
 p,_ := cmdline.CompilePattern("a "+strings.Repeat("a*",30000)+"b")
 t0:=time.Now(); p.Match(cmdline.Argv([]string{"a",strings.Repeat("a",60000)}).Parts[0]); t.Log("glob", time.Since(t0))
}
